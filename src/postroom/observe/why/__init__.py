"""Why something happened: one view that joins mail, turns, calls, tasks, asks, hooks and cost.

Everything is read from the log and from rows that never change, so asking twice, or after a restart,
gives the same answer. Nothing walks through a log: events are found by turn and by delivery.
"""

import re
from collections.abc import Iterator

from postroom.domain.event import EventKind
from postroom.errors import NotFound
from postroom.observe.find import find_agent, find_ask, find_message
from postroom.observe.why.asks import asked
from postroom.observe.why.calls import calls_of
from postroom.observe.why.messages import message_why, sender_of, turn_of
from postroom.observe.why.parts import Called
from postroom.observe.why.shapes import Cause, Why
from postroom.observe.why.sight import Sight, entries
from postroom.observe.why.turns import turn_why
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.text import is_encodable
from postroom.store.tx import Tx
from postroom.store.tx_why import MadeCall, Written

__all__ = ["Why", "why"]

WAY_MAX = 64
"""Steps back that are shown; a path of mail or of delegation is shorter by the default limits."""
_CALL = re.compile(r"^c_([0-9]{1,18})_([0-9]{1,9})_([0-9]{1,9})$")


def why(tx: Tx, reference: str) -> Why:
    """The view of a message, a task, a turn, a call or an ask by its id, or of an agent's newest turn.

    An ask may also be named by the last 8 characters of its id, an agent by its handle. Raises `NotFound`.
    """
    sight = Sight(tx)
    found = _message(sight, reference) or _turn(sight, reference) or _call(sight, reference)
    return found or _ask(sight, reference) or _newest_turn(sight, reference)


def _message(sight: Sight, reference: str) -> Why | None:
    key = find_message(sight.tx, reference)
    message = sight.tx.written(key) if key else None
    if message is None:
        return None
    view = message_why(sight, message)
    read_by = next((s.turn_id for s in reversed(view.life) if s.what in {"consumed", "claimed"}), "")
    row = sight.tx.turn_by_public_id(read_by) if read_by else None
    origin = sight.tx.turn_origin(row.turn) if row else None
    return Why(
        what="message", message=view, turn=turn_why(sight, origin) if origin else None,
        because=tuple(_way(sight, _opener(sight, turn_of(sight, message)))),
    )  # fmt: skip


def _turn(sight: Sight, reference: str) -> Why | None:
    row = sight.tx.turn_by_public_id(reference.lower()) if is_encodable(reference) else None
    return _of_turn(sight, row.turn) if row else None


def _of_turn(sight: Sight, key: int) -> Why | None:
    origin = sight.tx.turn_origin(key)
    if origin is None:
        return None
    way = tuple(_way(sight, _opener(sight, key)))
    return Why(what="turn", turn=turn_why(sight, origin), because=way)


def _call(sight: Sight, reference: str) -> Why | None:
    place = _CALL.match(reference.lower())
    call = sight.tx.call_at(*(int(number) for number in place.groups())) if place else None
    return None if call is None else _of_call(sight, call)


def _of_call(sight: Sight, call: MadeCall) -> Why:
    origin = sight.tx.turn_origin(call.turn)
    way = tuple(_way(sight, _opener(sight, call.turn)))
    turn = turn_why(sight, origin) if origin else None
    return Why(what="call", call=_shown(sight, call), turn=turn, because=way)


def _shown(sight: Sight, call: MadeCall) -> Called | None:
    own = sight.call_id(call.key)
    return next((shown for shown in calls_of(sight, call.turn) if shown.call_id == own), None)


def _ask(sight: Sight, reference: str) -> Why | None:
    try:
        ask = find_ask(sight.tx, reference)
    except NotFound:
        return None
    call = sight.tx.call_made(ask.call)
    return Why(
        what="ask", ask=asked(sight, ask), call=_shown(sight, call) if call else None,
        because=tuple(_way(sight, _opener(sight, ask.turn))),
    )  # fmt: skip


def _newest_turn(sight: Sight, reference: str) -> Why:
    """Why did this agent wake?"""
    try:
        agent = find_agent(sight.tx, reference)
    except NotFound as fault:
        msg = f"{fault.message}, and no message, turn, call or ask has this id"
        raise NotFound(msg, remedy=fault.remedy) from fault
    row = sight.tx.last_turn_of_branch(agent.branch)
    found = _of_turn(sight, row.turn) if row else None
    if found is None:
        msg = f"{reference[:SHOWN_CHARS]!r} has never had a turn"
        raise NotFound(msg, remedy="`postroom show` says what waits for it")
    return found


def _opener(sight: Sight, turn: int | None) -> Written | None:
    """The message that opened a turn; of several the first, which gave the turn its chain."""
    first = sight.tx.first_step_of_turn(turn) if turn else None
    if first is None or first.kind != EventKind.MESSAGE_CLAIMED:
        return None
    (entry,) = entries([first])
    key = sight.tx.message_of_delivery(entry.number("delivery") or 0)
    return sight.tx.written(key) if key else None


def _way(sight: Sight, message: Written | None) -> Iterator[Cause]:
    """From a message to the person, a plugin or a timer that began it all."""
    for _ in range(WAY_MAX):
        if message is None:
            return
        turn = turn_of(sight, message)
        yield Cause(
            message_id=message.public_id, kind=message.kind, sender=sender_of(sight, message),
            turn_id=sight.turn_id(turn),
        )  # fmt: skip
        message = _opener(sight, turn)
