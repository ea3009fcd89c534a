"""What a surface is: a policy preset, and tools that speak to the service through a desk.

A surface decodes arguments strictly and writes every word that a model reads. It decides nothing
about delivery.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from postroom.domain.goal import Goal
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.goals import Item
from postroom.service.archive import RenderArchived
from postroom.service.asks import Question, RenderAnswer
from postroom.service.bus import Roster
from postroom.service.changes import RenderChanges
from postroom.service.delegate import RenderSpawned, Spawned, started_text
from postroom.service.draft import Render, Sent
from postroom.service.goals import RenderGoal
from postroom.service.letters import MessageStatus, Page
from postroom.service.lineup import Lineup
from postroom.service.listing import Listing, ListRequest
from postroom.service.neighbours import PeerLine, Scope
from postroom.service.peer_card import PeerCard
from postroom.service.reading import Reading, ReadRequest, RenderBlock
from postroom.service.recall import RenderRecalled
from postroom.service.rights import Wish
from postroom.service.task_list import TaskLine
from postroom.service.task_stop import RenderStop
from postroom.service.tasks import Cancelled, RenderTask
from postroom.service.todos import Entry, RenderTodo, TodoLine
from postroom.service.wait_for import WaitRequest
from postroom.tools.base import ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """A decoded send: to whom, what, how."""

    to: str
    body: str
    mode: str
    profile: str = ""
    """As whom the recipient is to run; empty: as itself."""
    also: tuple[str, ...] = ()
    """Further recipients: then all get it, or nobody."""
    reply_to: int | None = None
    """The mail that it answers, by its number in the own mailbox."""
    expires_in_s: int | None = None
    """After which nobody begins to read it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchRequest:
    """A decoded dispatch: a tracked task for an agent that exists."""

    to: str
    prompt: str
    description: str
    profile: str = ""
    """As whom the agent is to run; empty: as itself."""
    waits: bool = False
    """Whether the call waits for the end of the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnRequest:
    """A decoded delegation."""

    profile: str
    description: str
    prompt: str
    background: bool
    resume: str = ""
    """Handle or session id of an own child that gets the task; empty: a new child."""
    inherits: bool = False
    """Whether the new child first reads the newest texts of this conversation."""
    start_from: str = "clean"
    """Where a new branch begins: `clean`, `inherit`, or `SID:NODE`."""
    archive_when_done: bool = False
    """Whether the child is archived when its task has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """A decoded wait for changes; without ids, of any session in reach."""

    session_ids: tuple[str, ...]
    timeout_s: float


class Desk(Protocol):
    """What a mail tool may ask of the turn that runs it. The sender is always that turn (G5)."""

    async def send(self, call: Call, request: SendRequest, render: Render) -> Sent:
        """Accept a message; the call's result is durable on return."""
        ...

    async def dispatch(
        self, call: Call, request: DispatchRequest, render: Render, ended: RenderTask | None = None
    ) -> Sent:
        """Accept a task for an agent that exists; the call's result is durable on return.

        A request that waits returns after the end of the task, which `ended` words.
        """
        ...

    async def delegate(
        self, call: Call, request: SpawnRequest, render: RenderTask, started: RenderSpawned = started_text
    ) -> Spawned | Refusal:
        """Spawn a child; a foreground one returns after its end, with the call's result durable.

        `started` is what the caller reads of one in the background.
        """
        ...

    async def result(self, call: Call, reference: str, render: RenderTask, *, wait: bool) -> Refusal | None:
        """A child's result as the call's result; `None` when it is durable."""
        ...

    async def ask(self, call: Call, question: Question, render: RenderAnswer) -> Refusal | None:
        """Ask the person; returns after the answer, with the call's result durable, or refused."""
        ...

    async def cancel(self, call: Call, reference: str, reason: str) -> Cancelled | Refusal:
        """End a child's task; the call's result is durable unless refused."""
        ...

    async def task_output(
        self, call: Call, task_id: str, render: RenderTask, *, block: bool, timeout_s: float
    ) -> Refusal | None:
        """How a task stands as the call's result; `None` when it is durable.

        With `block` it returns at the task's end, or after `timeout_s` with the task still at work.
        """
        ...

    async def stop_task(self, call: Call, task_id: str, reason: str, render: RenderStop) -> Refusal | None:
        """End a task and everything that grew out of it; the call's result is durable unless refused."""
        ...

    async def list_tasks(self) -> Sequence[TaskLine]:
        """What the caller and everybody below it have handed out, newest first, at most 50."""
        ...

    async def archive(self, call: Call, to: str, reason: str, render: RenderArchived) -> Refusal | None:
        """Retire an agent for good; the call's result is durable unless refused."""
        ...

    async def goal(self) -> Goal | None:
        """The agent's open goal."""
        ...

    async def change_goal(self, call: Call, items: Sequence[Item], render: RenderGoal) -> Refusal | None:
        """Another list for the agent's goal; the call's result is durable unless refused."""
        ...

    async def list_agents(self, request: ListRequest) -> Listing:
        """The agents of one scope, as the turn's agent may see them."""
        ...

    async def roster(self) -> Roster | Refusal:
        """Who reads the bus on which the turn works, in the order in which they came. Refuses `no_turn`."""
        ...

    async def line_up(self, scope: str, limit: int) -> Lineup:
        """The agents around the turn's agent: those of its tree, or of its directory."""
        ...

    async def read_conversation(self, request: ReadRequest, render: RenderBlock) -> Reading | Refusal:
        """A part of a conversation that the turn's agent may read."""
        ...

    async def create_todo(self, call: Call, entry: Entry, render: RenderTodo) -> Refusal | None:
        """A new entry of the session's board; the call's result is durable unless refused."""
        ...

    async def update_todo(self, call: Call, number: int, entry: Entry, render: RenderTodo) -> Refusal | None:
        """Another text, status or other blockers; the call's result is durable unless refused."""
        ...

    async def list_todos(self) -> list[TodoLine]:
        """The session's board, in the order of its numbers."""
        ...

    async def recall_message(self, call: Call, message_id: str, render: RenderRecalled) -> Refusal | None:
        """Take an own message back where nobody has begun to read it; the call's result is durable unless
        refused.
        """
        ...

    async def message_status(self, message_id: str) -> MessageStatus | Refusal:
        """How a message stands that this agent, or one that grew out of it, has written."""
        ...

    async def read_letter(self, number: int, offset: int, limit: int) -> Page | Refusal:
        """`limit` characters from `offset` on of a message in the own conversation."""
        ...

    async def list_neighbours(self, scope: Scope, limit: int) -> Sequence[PeerLine]:
        """The sessions in reach, the most recently active first, at most `limit`."""
        ...

    async def read_card(self, call: Call, session_id: str) -> PeerCard | Refusal:
        """What a session shows of itself. Whatever may not be seen is `not_found`."""
        ...

    async def watch(self, call: Call, request: WatchRequest, render: RenderChanges) -> Refusal | None:
        """Wait for a change; returns when one has come or the time is up, with the call's result durable.

        No slot is held meanwhile. Refuses `not_found`.
        """
        ...

    async def wait_for(self, call: Call, request: WaitRequest, timeout_s: float) -> Refusal | None:
        """Wait for several things without a slot; the call's result is durable unless refused.

        It returns at the latest after `timeout_s`; where another process goes on with the turn, after what is
        left of that.
        """
        ...


MailToolRun: TypeAlias = Callable[[Desk, Call, Mapping[str, Json]], Awaitable[ToolResult | None]]
"""`None`: the call's result is durable already. A `ToolResult`: the runtime commits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTool:
    """One tool of a surface. It is shown where the agent has a right to its `action` (`AgentFacts.seen`)."""

    spec: ToolSpec
    run: MailToolRun
    action: str = ""
    """`message`, `delegate`, `goal` (shown while there is one), or empty: always shown."""
    only: str = ""
    """The resource of all its calls, where they have but one; the tool is shown only where it is open."""
    wish: Callable[[Mapping[str, Json]], Wish | None] = lambda _: None
    """What arguments that decode ask for; `None`: nothing that needs a right."""
    spends: bool = False
    """A turn that starts with no messages left on its path is not given it (OP-64)."""


ToolOfProfile: TypeAlias = Callable[[str, str], MailTool]
"""The tool by which an agent makes one of a profile: from the profile's name and its description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A set of tools with its words and its policy preset."""

    name: str
    policy: Policy
    tools: tuple[MailTool, ...]
    """What every agent is given that its rights show."""
    groups: Mapping[str, tuple[MailTool, ...]] = field(default_factory=dict[str, tuple[MailTool, ...]])
    """By the name of a group: what only those agents are given whose profiles name the group."""
    per_profile: ToolOfProfile | None = None
    """One tool more for each profile that an agent may delegate to; none: its tools name the profile."""

    @property
    def fixed_tools(self) -> tuple[MailTool, ...]:
        """All its tools but those that profiles make."""
        return (*self.tools, *(tool for group in self.groups.values() for tool in group))


def answer_of(sent: Sent) -> ToolResult | None:
    """What the call of a send has still to be given: a send ends its call itself, unless this one has sent
    another message before.
    """
    is_another = isinstance(sent.outcome, Refusal) and sent.outcome.code is Code.IDEMPOTENCY_CONFLICT
    return ToolResult(text=sent.text, is_error=True) if is_another else None
