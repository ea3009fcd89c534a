"""Tool calls: the statements, with their events."""

import json
from collections.abc import Sequence

from postroom.domain.event import EventKind
from postroom.domain.keys import CallKey, TurnKey
from postroom.domain.node import CallResult
from postroom.domain.turn import Call, EndedBy
from postroom.rules.text import scrub
from postroom.store.rows import CallRow
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx


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
        return self._each("calls_of_round", CallRow._make, turn, round_)

    def calls_of_turns(self, turns: Sequence[int]) -> list[CallResult]:
        """Calls and results of many turns at once."""
        return self._each("calls_of_turns", CallResult._make, json.dumps(list(turns)))
