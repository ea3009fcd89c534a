"""Tool calls and what they wait for: the statements, with their events."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import AskKey, CallKey, MessageKey, TurnKey
from postroom.domain.node import CallResult
from postroom.domain.turn import Call, EndedBy
from postroom.rules.text import scrub
from postroom.store.rows import CallRow
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx


class Wait(NamedTuple):
    """A call that waits: for a task, or for the person."""

    call: CallKey
    task: MessageKey | None
    ask: AskKey | None


class CallTx(LogTx):
    """Calls in the store."""

    __slots__ = ()

    def insert_call(
        self, turn: int, round_: int, position: int, provider_id: str, tool: str, arguments: str
    ) -> Call:
        """One tool call, open until its result is durable."""
        key = self._insert("insert_call", turn, round_, position, provider_id, tool, arguments)
        return Call(
            key=CallKey(key),
            turn=TurnKey(turn),
            round=round_,
            position=position,
            tool=tool,
            arguments=arguments,
        )

    def end_call(  # noqa: PLR0913 -- a result and what it is tied to
        self, session: int, turn: int, call: int, ended_by: EndedBy, result: str, *, is_error: bool,
        message: int | None = None, delivery: int | None = None, logged: bool = False,
        images: str | None = None,
    ) -> bool:  # fmt: skip
        """The one result of a call; `False` when it had one already. `logged`: another event says it.

        Every result is scrubbed here, whoever wrote it: no broken character enters history (O-27).
        """
        values = (str(ended_by), scrub(result), int(is_error), message, delivery, images, call)
        done = self._do("end_call", *values) == 1
        if done and not logged:
            event = f'{{"call":{call},"turn":{turn},"ended_by":"{ended_by}","delivery":{delivery or "null"}}}'
            self.event(session, EventKind.CALL_ENDED, event, turn=turn)
        return done

    def set_call_message(self, call: int, message: int) -> None:
        """The message that a call caused, before its result is known."""
        self._do("set_call_message", message, call)

    def change_call(self, session: int, turn: int, call: int, arguments: str, by: str) -> None:
        """Other arguments beside the model's; the event names who put them there."""
        self._do("change_call", scrub(arguments), by, call)
        event = json.dumps({"call": call, "by": by})
        self.event(session, EventKind.CALL_CHANGED, event, actor="hook", turn=turn)

    def log_hook(self, session: int, turn: int, call: int, hook: str, verdict: str, code: str) -> None:
        """What a hook decided, or how it failed; only the log keeps it."""
        event = json.dumps({"call": call, "hook": hook, "verdict": verdict, "code": code})
        self.event(session, EventKind.HOOK_DECIDED, event, actor="hook", turn=turn)

    def open_calls(self, turn: int) -> list[Row]:
        """(key, turn, round, position, tool, arguments) of the calls without a result."""
        return self._all("open_calls", turn)

    def calls_to_go_on(self, turn: int) -> list[Call]:
        """The open calls of a turn, as its next holder makes them."""
        return [
            Call(
                key=CallKey(int(str(key))), turn=TurnKey(turn), round=int(str(round_)),
                position=int(str(position)), tool=str(tool), arguments=str(arguments),
                changed_by=str(changed_by),
            )
            for key, _, round_, position, tool, arguments, changed_by in self._all("calls_to_go_on", turn)
        ]  # fmt: skip

    def calls_of_round(self, turn: int, round_: int) -> list[CallRow]:
        """The calls of one round in call order."""
        return [CallRow._make(r) for r in self._all("calls_of_round", turn, round_)]

    def calls_of_turns(self, turns: Sequence[int]) -> list[CallResult]:
        """Calls and results of many turns at once."""
        return [CallResult._make(r) for r in self._all("calls_of_turns", json.dumps(list(turns)))]

    def insert_wait(
        self, session: int, branch: int, turn: int, call: int, *, task: int | None, ask: int | None
    ) -> None:
        """A blocking call waits for a task, or for the person."""
        self._do("insert_wait", call, branch, turn, task, ask)
        event = f'{{"call":{call},"turn":{turn},"task":{task or "null"},"ask":{ask or "null"}}}'
        self.event(session, EventKind.CALL_WAITING, event, turn=turn)

    def wait_of_call(self, call: int) -> Wait | None:
        """What a blocking call waits for."""
        row = self._one("wait_of_call", call)
        return None if row is None else Wait._make((call, *row))

    def waits_of_branch(self, branch: int) -> list[Wait]:
        """What every blocking call of a branch waits for."""
        return [Wait._make(r) for r in self._all("waits_of_branch", branch)]

    def end_wait(self, session: int, turn: int, call: int) -> None:
        """One wait is over, and its call goes on."""
        self._do("delete_wait", call)
        self.event(session, EventKind.CALL_WENT_ON, f'{{"call":{call}}}', turn=turn)

    def delete_wait(self, call: int) -> None:
        """A wait that the log does not know."""
        self._do("delete_wait", call)

    def delete_waits_of_branch(self, branch: int) -> None:
        """Every wait of a turn is over."""
        self._do("delete_waits_of_branch", branch)

    def waiters_of_task(self, task: int) -> list[tuple[int, int]]:
        """(branch, turn) of everybody who waits for a task."""
        return [(int(str(a)), int(str(b))) for a, b in self._all("waiters_of_task", task)]

    def waiting_for_agent(self, branch: int) -> list[int]:
        """The turns in which somebody waits for a task of this branch."""
        return [int(str(r[0])) for r in self._all("waiting_for_agent", branch)]
