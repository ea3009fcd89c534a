"""What a person and the world may do: the verbs, each with what it takes."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, WithJsonSchema

from postroom.testing.scenario.parts.part import Field, Name, Part
from postroom.testing.scenario.parts.team import Permissions

Place: TypeAlias = Annotated[
    str, BeforeValidator(str), WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}]})
]
"""The number of an item, or the id of a turn or of a message."""
ApprovalMode: TypeAlias = Literal["auto_approve", "auto_approve_n", "auto_approve_y", "ask", "yolo"]


class Prompt(Part):
    """Say a text to an agent that opens a turn of its own. The first one opens the conversation."""

    to: Name
    """An agent of the file; `${session:NAME}` where there are several."""
    text: str
    new: bool = False
    """Open one more conversation with it."""
    client_id: str | None = None
    """Said again with this id it is the same text."""
    mode: ApprovalMode | None = None
    """Who decides the asks of a new conversation."""
    attended: bool = True
    """Somebody is there to answer the questions of a new conversation."""


class Type(Part):
    """What the person types while an agent works: it joins the running turn."""

    to: Name
    text: str
    client_id: str | None = None


class SendAsUser(Part):
    """Write to any agent as the person."""

    to: Name
    body: str
    mode: Literal["steer", "queue"] = "steer"
    client_id: str | None = None
    in_s: Annotated[float, Field(ge=0)] | None = None
    """It waits in the store for so many seconds of the scenario's clock, and is sent then."""


class Kill9(Part):
    """Where the process dies. Without a place: now."""

    at: Name | None = None
    """A named crash point, such as `accept.after`."""
    nth: int = Field(default=1, ge=1)
    """At the n-th time from now on that it is reached."""


class SecondProcess(Part):
    """Other runners that are started on the same store; the step ends when they have ended."""

    count: int = Field(default=1, ge=1, le=8)


class TearStore(Part):
    """What a power cut does to the newest transaction of a store whose process is dead."""

    how: Literal["cut", "zero"] = "cut"
    at: Annotated[float, Field(ge=0, lt=1)] | None = None
    """Where the tear begins, from 0 to 1 of that transaction; without it, at a random place."""


class SetWallClock(Part):
    """Step the wall clock alone, as a time server does."""

    by_s: float


class Connect(Part):
    """A client of the event stream; with a name that was dropped it goes on behind what it has seen."""

    client: Name
    reads: Annotated[int, Field(ge=0)] | None = None
    """It reads so many events more and then no further."""
    from_: int | None = Field(default=None, alias="from", ge=0)
    """It begins behind this position instead."""


class Drop(Part):
    """The client hangs up, after it has read what it was to read."""

    client: Name


class Approve(Part):
    """Give leave for what is asked."""

    ask: Name
    """Its id, or the agent that has asked; of several open ones the oldest is meant."""
    for_: Literal["once", "tree"] = Field(default="once", alias="for")
    """For the call that waits, or for this kind of deed in the whole tree."""


class Deny(Part):
    """Refuse what is asked."""

    ask: Name
    """Its id, or the agent that has asked; of several open ones the oldest is meant."""
    reason: str = ""
    """What the agent reads."""


class Answer(Part):
    """What the person says to a question of an agent."""

    to: Name
    """The agent that has asked, or the question's id."""
    text: str
    """Of options one, or its number."""


class ChooseMode(Part):
    """Who decides the asks of a tree from now on."""

    of: Name
    """Any agent of the tree."""
    mode: ApprovalMode


class Overlay(Part):
    """The person's rules over a tree, in place of those before."""

    of: Name
    """Any agent of the tree."""
    rules: Permissions
    """As `permissions` of an agent; empty for none."""


class Fork(Part):
    """A new session that begins where an agent stood."""

    agent: Name
    to: Place | None = None
    """The place, as `postroom fork --to` takes it; without it, where the agent stands now."""
    at_turn: Annotated[int, Field(ge=1)] | None = None
    """Instead: the end of its n-th turn."""


class Revert(Part):
    """An agent goes back to a place of its conversation."""

    agent: Name
    to: Place | None = None
    """The place, as `postroom revert --to` takes it."""
    turns: int = Field(default=1, ge=1)
    """Without a place: so many of its newest turns are taken back."""
    keep_tasks: bool = False
    """Tasks that were given there go on."""
    dry_run: bool = False
    """Only say what it would do."""


class Rename(Part):
    """A name for an agent that no model changes."""

    agent: Name
    name: str


class SetGoal(Part):
    """A goal for the agent at the root of a tree."""

    of: Name
    text: str


class MoveGoal(Part):
    """What becomes of an agent's open goal."""

    of: Name
    move: Literal["pause", "resume", "cancel"]
