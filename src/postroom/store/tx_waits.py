"""What calls wait for: the statements, with their events."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import AskKey, BranchKey, CallKey, MessageKey, TurnKey
from postroom.store.tx_log import LogTx

CHANGE: Final = "change"
"""The kind of a wait that ends with whatever its targets do next."""


class Wait(NamedTuple):
    """A call that waits: for a task, for the person, or for its targets."""

    call: CallKey
    task: MessageKey | None
    ask: AskKey | None
    kind: str
    """`first` or `all` of its targets, `change` behind `since_pos`; empty: its task or ask."""
    by_mail: int
    """Whether mail ends it that may enter the running turn."""
    since_pos: int | None


class Target(NamedTuple):
    """One thing that a wait is for: a task, a message, or an agent."""

    task: MessageKey | None = None
    message: MessageKey | None = None
    branch: BranchKey | None = None


class NewWait(NamedTuple):
    """What a call is going to wait for."""

    task: int | None = None
    ask: int | None = None
    kind: str = ""
    by_mail: bool = False
    since_pos: int | None = None
    targets: Sequence[Target] = ()


class WaitTx(LogTx):
    """Waits in the store."""

    __slots__ = ()

    def insert_wait(self, session: int, branch: int, turn: int, call: int, new: NewWait) -> None:
        """A blocking call begins to wait."""
        self._do(
            "insert_wait", call, branch, turn, new.task, new.ask, new.kind, int(new.by_mail), new.since_pos
        )
        event: dict[str, object] = {"call": call, "turn": turn, "task": new.task, "ask": new.ask}
        if new.kind or new.by_mail:
            event |= {"wait": new.kind, "by_mail": int(new.by_mail), "since_pos": new.since_pos}
        if new.targets:
            self._do("insert_wait_targets", call, json.dumps(new.targets))
            event["targets"] = new.targets
        self.event(session, EventKind.CALL_WAITING, json.dumps(event), turn=turn)

    def wait_of_call(self, call: int) -> Wait | None:
        """What a blocking call waits for."""
        return self._find("wait_of_call", Wait._make, call)

    def waits_of_branch(self, branch: int) -> list[Wait]:
        """What every blocking call of a branch waits for."""
        return self._each("waits_of_branch", Wait._make, branch)

    def began_to_wait(self, turn: int, call: int) -> int | None:
        """When a call has first begun to wait, also in a process before this one; nothing if it never has."""
        return self._value("began_to_wait", int, turn, call)

    def targets_of_wait(self, call: int) -> list[Target]:
        """What one wait is for, as it was given."""
        return self._each("targets_of_wait", Target._make, call)

    def end_wait(self, session: int, turn: int, call: int) -> None:
        """One wait is over, and its call goes on."""
        self.delete_wait(call)
        self.event(session, EventKind.CALL_WENT_ON, f'{{"call":{call}}}', turn=turn)

    def delete_wait(self, call: int) -> None:
        """A wait that the log does not know."""
        self._do("delete_wait_targets", call)
        self._do("delete_wait", call)

    def delete_waits_of_branch(self, branch: int) -> None:
        """Every wait of a turn is over."""
        self._do("delete_wait_targets_of_branch", branch)
        self._do("delete_waits_of_branch", branch)

    def waiters_of_task(self, task: int) -> list[tuple[int, int]]:
        """(branch, turn) of everybody who waits for a task."""
        return [(int(str(a)), int(str(b))) for a, b in self._all("waiters_of_task", task, task)]

    def waiters_of_message(self, message: int) -> list[TurnKey]:
        """The turns in which somebody waits for what becomes of a message."""
        return self._values("waiters_of_message", TurnKey, message)

    def waiting_for_agent(self, branch: int) -> list[int]:
        """The turns in which somebody waits for this branch, or for what it has still to do or to read."""
        return self._values("waiting_for_agent", int, *[branch] * 5)
