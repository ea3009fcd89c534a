"""A step: one verb and what it takes. The verbs here are the whole language."""

from typing import Annotated, Final, Literal

from pydantic import model_validator

from postroom.testing.scenario.parts import doing
from postroom.testing.scenario.parts.expecting import Expect, WaitFor
from postroom.testing.scenario.parts.part import Field, Name, Names, Part


class Repeat(Part):
    """The same steps several times; `${n}` is the number of the round, from 1."""

    times: int = Field(ge=1, le=1000)
    seed: int = 1
    """What is random inside follows from it."""
    steps: "list[Step]"


class Together(Part):
    """Steps that are taken at the same time; it ends when all have ended."""

    steps: "list[Step]"
    jitter: int = Field(default=0, ge=0, le=1000)
    """Each begins after a random number of turns of the event loop, up to this many."""


class Step(Part):
    """One verb, and around it what is kept and what is expected of it."""

    prompt: doing.Prompt | None = None
    type: doing.Type | None = None
    send_as_user: doing.SendAsUser | None = None
    open: Names | None = None
    """Open gates: who stands there goes on."""
    shut: Names | None = None
    """Shut gates again: who comes from now on waits."""
    stop: Name | None = None
    """Pause an agent and everything below it."""
    cancel: Name | None = None
    """End an agent's turn or task; pauses nothing."""
    resume: Name | None = None
    """Lift a pause, read parked mail, or go on from an interrupted turn."""
    retry: Name | None = None
    """Accept a message again that was set aside: its id."""
    approve: doing.Approve | None = None
    deny: doing.Deny | None = None
    answer: doing.Answer | None = None
    goal: doing.SetGoal | None = None
    move_goal: doing.MoveGoal | None = None
    mode: doing.ChooseMode | None = None
    overlay: doing.Overlay | None = None
    archive: Name | None = None
    """Retire an agent for good."""
    delete: Name | None = None
    """Delete the session of an agent, with its texts."""
    rename: doing.Rename | None = None
    fork: doing.Fork | None = None
    revert: doing.Revert | None = None
    compact: Name | None = None
    """Have the beginning of an idle agent's conversation summed up."""
    kill9: doing.Kill9 | None = None
    boot: None = None
    """Start the process on the same store; one that runs is closed in good order first."""
    freeze: None = None
    """SIGSTOP."""
    thaw: None = None
    """SIGCONT."""
    second_process: doing.SecondProcess | None = None
    lock_store: Literal["hold", "release"] | None = None
    """Another connection takes the write lock, or lets it go."""
    tear_store: doing.TearStore | None = None
    advance: Annotated[float, Field(ge=0)] | None = None
    """Let so many seconds pass."""
    set_wall_clock: doing.SetWallClock | None = None
    connect: doing.Connect | None = None
    drop: doing.Drop | None = None
    wait_for: WaitFor | None = None
    quiesce: None = None
    """Wait until no turn runs or waits; what a turn sleeps for comes to pass."""
    expect: Expect | None = None
    repeat: Repeat | None = None
    together: Together | None = None

    as_: Name | None = Field(default=None, alias="as")
    """Keep what the step gives under this name, for `${name.key}`."""
    only: Names | None = None
    """It is taken on these policies only; without it, on all of the file."""
    background: bool = False
    """Do not wait for it: `wait_for: {step: NAME}` does."""
    refused: str | None = None
    """The code with which it must fail."""
    may_be_refused: str | None = None
    """The code with which it may fail: in a race, either is right."""

    @property
    def verb(self) -> str:
        """The one verb."""
        return next(iter(self.model_fields_set & VERBS))

    @model_validator(mode="after")
    def _has_one_verb(self) -> "Step":
        verbs = sorted(self.model_fields_set & VERBS)
        if len(verbs) != 1:
            found = f"two verbs, {' and '.join(verbs)}: write two steps" if verbs else "no verb"
            raise ValueError(f"a step with {found}; verbs: {', '.join(sorted(VERBS))}")
        if getattr(self, verbs[0]) is None and verbs[0] not in MAY_BE_EMPTY:
            raise ValueError(f"`{verbs[0]}` is empty: say what it takes")
        if self.background and self.as_ is None:
            raise ValueError("a step in the background needs a name: `as: NAME`")
        return self


AROUND: Final = frozenset(("as_", "only", "background", "refused", "may_be_refused"))
VERBS: Final = frozenset(Step.model_fields) - AROUND
"""Every verb of the language."""
MAY_BE_EMPTY: Final = frozenset(
    ("boot", "freeze", "thaw", "quiesce", "kill9", "second_process", "tear_store")
)
"""Verbs that take nothing, or nothing more than what is usual."""
