"""What may be expected of requests, results, mail, tasks, the log and its readers."""

# ruff: noqa: RUF012 -- pydantic copies every default

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, JsonValue, WithJsonSchema, model_validator

from postroom.testing.scenario.parts.part import Bounds, Count, Field, Name, Names, Part, Values
from postroom.testing.scenario.parts.team import Purpose

Role: TypeAlias = Literal["user", "assistant", "tool"]


class Texts(Part):
    """What a row of texts must hold, a request's or a conversation's."""

    roles: list[Role] | None = None
    """Who speaks, item by item; all of them."""
    last_roles: list[Role] | None = None
    """Who speaks in the last items."""
    equals: list[str] | None = None
    """All texts, one for each item."""
    last_equals: list[str] | None = None
    """The texts of the last items."""
    contains: Names = []
    """Each is a part of some text."""
    lacks: Names = []
    """None is a part of any text."""
    in_order: list[str] = []
    """Each stands somewhere behind the one before it."""
    times: dict[str, int] = {}
    """How often each stands in all the texts together."""


class EnvelopeRow(Part):
    """What one user item says by the rule of docs/reference/envelopes.md; only what is given is compared."""

    kind: (
        Literal["mail", "task", "result", "reply", "work", "plugin", "goal", "inherited", "notice"] | None
    ) = None
    sender: str | None = None
    """An agent's name in the scenario, or the address that is shown."""
    body: str | None = None
    status: str | None = None


class RequestPart(Texts):
    """One request that a model received: req(of, number) of the cases."""

    of: Name
    number: Annotated[int, Field(ge=1)] | None = None
    """The n-th of this agent, over all lives; without it the newest."""
    purpose: Purpose = "turn"
    """Why its model was asked."""
    tools: list[str] | None = None
    """The names of the tools that it was offered, in any order."""
    envelopes: list[EnvelopeRow] | None = None
    """How its user items are read, where they are in an envelope; exactly these."""


class RequestsPart(Part):
    """How many requests an agent's model received: its model calls."""

    of: Name | None = None
    """Without it, of all agents together."""
    purpose: Purpose | None = None
    """Why it was asked; without it, for whatever."""
    count: Count


class HistoryPart(Texts):
    """An agent's conversation as it is stored."""

    of: Name
    provenance: list[str] | None = None
    """Where each item comes from: user, agent, runtime …"""


class ResultPart(Part):
    """One result of a tool call, as the agent's newest request holds it."""

    of: Name
    number: Annotated[int, Field(ge=1)] | None = None
    """The n-th result of this agent; without it the newest."""
    tool: str | None = None
    is_error: bool | None = None
    code: str | None = None
    """The stable code of a refusal."""
    contains: Names = []
    lacks: Names = []


class ResultsPart(Part):
    """All results of an agent's calls, in order: a code where it was refused, else `ok`."""

    of: Name
    tool: str | None = None
    """Only those of this tool."""
    are: list[str]


class ReceiptPart(Part):
    """The receipt of a send of an agent."""

    of: Name
    number: int = Field(default=1, ge=1)
    """The n-th receipt that it got."""
    mode: Literal["steer", "queue"] | None = None
    recipient_state: Names = []
    """One of these."""


class MessageRow(Part):
    """One message; only what is given is compared."""

    body: str | None = None
    contains: str | None = None
    kind: str | None = None
    mode: str | None = None
    sender: str | None = None
    state: str | None = None
    reason: str | None = None
    attempts: int | None = None
    parked: bool | None = None
    round: int | None = None


class MessagesPart(Part):
    """The messages that an agent was sent, oldest first."""

    needs = ("are", "count")
    to: Name
    kind: str | None = "mail"
    """Only this kind: mail, prompt, user, result, notice …; null for all."""
    are: list[MessageRow] | None = None
    """Exactly these."""
    count: Count | None = None
    state: str | None = None
    """Only those in this state are counted."""


class ReadPart(Part):
    """The mail that an agent has read, in the order in which it stands in the conversation."""

    by: Name
    bodies: list[str]


class TaskRow(Part):
    """One task; only what is given is compared."""

    of: Name | None = None
    id: str | None = None
    state: str | None = None
    outcome: str | None = None
    cause_contains: str | None = None


class TasksPart(Part):
    """All tasks of the store, or of one agent, oldest first."""

    needs = ("are", "count")
    of: Name | None = None
    are: list[TaskRow] | None = None
    count: Count | None = None


class TodoRow(Part):
    """One entry of a board; only what is given is compared."""

    number: int | None = None
    subject: str | None = None
    description: str | None = None
    status: Literal["pending", "in_progress", "completed"] | None = None
    owner: str | None = None
    """The name of the agent that made it or has moved it since."""
    blocked_by: list[int] | None = None


class TodosPart(Part):
    """The board of the session of an agent; exactly these entries."""

    of: Name
    are: list[TodoRow]


class AskRow(Part):
    """One open ask; only what is given is compared."""

    of: Name | None = None
    """The agent that asks."""
    id: str | None = None
    kind: Literal["approval", "question"] | None = None
    question: str | None = None
    """The whole text of a question."""
    contains: str | None = None
    """Part of the text of either kind."""
    options: list[str] | None = None
    tool: str | None = None
    action: str | None = None
    resource: str | None = None
    to: str | None = None
    """The agent that a message would go to."""


class RightsPart(Part):
    """What the person has allowed a tree."""

    of: Name
    """Any agent of the tree."""
    mode: str | None = None
    overlay: list[list[str]] | None = None
    """Each rule as [action, pattern, effect]."""
    grants: Count | None = None
    needs = ("mode", "overlay", "grants")


class EventsPart(Part):
    """Events of the log."""

    kind: Name
    of: Name | None = None
    """In the log of this agent."""
    actor: str | None = None
    payload: Values = {}
    """Only those whose facts have these values."""
    count: Count = Bounds(at_least=1)


class EventOrderPart(Part):
    """Events that came one after the other; others may lie between them."""

    of: Name | None = None
    kinds: list[Name]


class StreamPart(Part):
    """What a client of the event stream has seen, all its connections joined."""

    needs = ("equals_log", "count", "kinds")
    client: Name
    equals_log: bool = False
    """No gap and no double: as much of the log as it has read."""
    count: Count | None = None
    kinds: list[Name] | None = None
    """Events of these kinds are among them, in this order."""


class AgentState(Part):
    """How an agent stands, as `postroom ps` shows it."""

    state: Names = []
    """One of these."""
    unread: int | None = None
    parked: int | None = None
    count: Count | None = None
    """How many agents of this name there are."""


class GateState(Part):
    """Who came to a gate."""

    name: Name
    arrivals: Count = Bounds(at_least=1)


class ExitsPart(Part):
    """The exit codes of processes that a step started, lowest first."""

    of: Name
    are: list[int]


class KeptPart(Part):
    """What a step gave that was kept with `as`."""

    name: Name
    holds: Values


class FilePart(Part):
    """A file in the directory in which the agents work."""

    exists: bool = True
    equals: str | None = None
    contains: Names = []
    lacks: Names = []


def _gate(given: object) -> object:
    return {"name": given} if isinstance(given, str) else given


GatePart: TypeAlias = Annotated[
    GateState,
    BeforeValidator(_gate),
    WithJsonSchema({"anyOf": [{"type": "string"}, GateState.model_json_schema()]}),
]


class Expect(Part):
    """One or more expectations; all of them must hold."""

    request: RequestPart | None = None
    requests: RequestsPart | None = None
    history: HistoryPart | None = None
    result: ResultPart | None = None
    results: ResultsPart | None = None
    receipt: ReceiptPart | None = None
    messages: MessagesPart | None = None
    read: ReadPart | None = None
    tasks: TasksPart | None = None
    todos: TodosPart | None = None
    asks: list[AskRow] | None = None
    """Exactly these asks are open, in any order."""
    rights: RightsPart | None = None
    events: EventsPart | None = None
    event_order: EventOrderPart | None = None
    stream: StreamPart | None = None
    agents: Annotated[dict[str, AgentState], Field(min_length=1)] | None = None
    files: Annotated[dict[str, FilePart], Field(min_length=1)] | None = None
    gate: GatePart | None = None
    exit_codes: ExitsPart | None = None
    kept: KeptPart | None = None
    equal: Annotated[list[JsonValue], Field(min_length=2)] | None = None
    """All of these are the same."""
    different: Annotated[list[JsonValue], Field(min_length=2)] | None = None
    """No two of these are the same."""

    @model_validator(mode="after")
    def _expects_something(self) -> "Expect":
        empty = [name for name in self.model_fields_set if getattr(self, name) in (None, False)]
        if empty or self.model_fields_set <= {"time_passes"}:
            msg = "expect something: " + ", ".join(type(self).model_fields)
            raise ValueError(msg)
        return self


class WaitFor(Expect):
    """The same, waited for; and what only waiting can tell."""

    step: Name | None = None
    """A step that was started with `background: true` has ended."""
    killed: bool | None = None
    """The process has died at the place that `kill9` named."""
    time_passes: bool = False
    """Let the scenario's clock run meanwhile."""
