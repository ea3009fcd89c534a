"""What a person and the world may do: the verbs, each with what it takes."""

from typing import Annotated, Literal

from postroom.testing.scenario.parts.part import Field, Name, Part


class Prompt(Part):
    """Say a text to an agent that opens a turn of its own. The first one opens the conversation."""

    to: Name
    """An agent of the file; `${session:NAME}` where there are several."""
    text: str
    new: bool = False
    """Open one more conversation with it."""
    client_id: str | None = None
    """Said again with this id it is the same text."""


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


class Ask(Part):
    """An ask that is open, by its id or by the agent that waits for it."""

    ask: Name
    reason: str = ""


class Answer(Part):
    """What the person says to a question of an agent."""

    to: Name
    text: str


class Fork(Part):
    """A copy of an agent's conversation that goes on by itself."""

    agent: Name
    at_turn: Annotated[int, Field(ge=1)] | None = None


class Revert(Part):
    """An agent forgets its newest turns."""

    agent: Name
    turns: int = Field(default=1, ge=1)
