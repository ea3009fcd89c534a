"""The calls of a turn, with what the log tells of each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from postroom.domain.event import EventKind
from postroom.domain.message import Kind
from postroom.domain.turn import EndedBy, call_id
from postroom.observe.why.parts import Called, Hooked
from postroom.observe.why.sight import Entry, Sight, excerpt
from postroom.store.tx_why import MadeCall

_REFUSALS = frozenset((EventKind.MESSAGE_REFUSED, EventKind.DELEGATION_REFUSED))
_END_THEIR_CALL = (Kind.MAIL, Kind.TASK)


@dataclass(slots=True)
class _Told:
    """What the log tells of one call."""

    code: str = ""
    ended_by: str = ""
    waits: bool = False
    awaits: int | None = None
    message: int | None = None
    delivery: int | None = None
    producer: int | None = None
    changed_by: str = ""
    cancelled: tuple[int | None, int | None] = (None, None)
    """The task and the turn that it ended."""
    asks: list[int] = field(default_factory=list[int])
    hooks: list[Hooked] = field(default_factory=list[Hooked])


def calls_of(sight: Sight, turn: int) -> tuple[Called, ...]:
    """Every call of a turn, in the order of the model."""
    told = _tell(sight.turn(turn))
    return tuple(_called(sight, call, told.get(call.key, _Told())) for call in sight.tx.calls_made(turn))


def _tell(entries: Sequence[Entry]) -> dict[int, _Told]:
    told: dict[int, _Told] = {}
    for entry in entries:
        key = entry.number("call")
        if key is not None:
            _hear(told.setdefault(key, _Told()), entry)
    return told


def _hear(call: _Told, entry: Entry) -> None:
    """What an event says of the call's own course."""
    match entry.kind:
        case EventKind.MESSAGE_SENT:
            call.message = entry.number("message")
            if entry.word("kind") in _END_THEIR_CALL and not entry.number("waits"):
                call.ended_by = EndedBy.TOOL
        case EventKind.MESSAGE_HELD:
            call.message, call.ended_by = entry.number("message"), EndedBy.TOOL
        case EventKind.CALL_WAITING:
            call.waits, call.awaits = True, entry.number("task") or call.awaits
        case EventKind.CALL_WENT_ON:
            call.waits = False
        case EventKind.CALL_ENDED:
            call.ended_by, call.delivery = entry.word("ended_by"), entry.number("delivery")
        case kind if kind in _REFUSALS:
            call.code = call.code if call.message else entry.word("code")
        case _:
            _hear_beside(call, entry)


def _hear_beside(call: _Told, entry: Entry) -> None:
    """What an event says of those who had a word in it, and of what outlives the call."""
    match entry.kind:
        case EventKind.CALL_CHANGED:
            call.changed_by = entry.word("by")
        case EventKind.ASK_OPENED:
            call.asks.append(entry.number("ask") or 0)
        case EventKind.HOOK_DECIDED:
            hook = Hooked(hook=entry.word("hook"), verdict=entry.word("verdict"), code=entry.word("code"))
            call.hooks.append(hook)
        case EventKind.BRANCH_CANCELLED:
            call.cancelled = (entry.number("task"), entry.number("ended"))
        case EventKind.WORK_BEGAN:
            call.producer = entry.number("producer")
        case _:
            pass


def _called(sight: Sight, call: MadeCall, told: _Told) -> Called:
    asks = (sight.tx.ask_row(key) for key in told.asks)
    returned = sight.tx.message_of_delivery(told.delivery) if told.delivery else None
    work = sight.tx.message_of_work(told.producer) if told.producer else None
    task, turn = told.cancelled
    cancelled = (sight.message_id(task), sight.turn_id(turn))
    return Called(
        cancelled_ids=tuple(found for found in cancelled if found), turn_id=sight.turn_id(call.turn),
        call_id=call_id(call.turn, call.round, call.position),
        round=call.round, tool=call.tool, arguments=excerpt(call.arguments),
        changed_arguments=excerpt(call.changed_arguments or ""), changed_by=told.changed_by,
        outcome=_outcome(call, told), hooks=tuple(told.hooks),
        ask_ids=tuple(ask.public_id for ask in asks if ask is not None),
        message_id=sight.message_id(told.message), awaits_id=sight.message_id(told.awaits),
        returned_id=sight.message_id(returned), work_id=sight.message_id(work),
    )  # fmt: skip


def _outcome(call: MadeCall, told: _Told) -> str:
    if told.code:
        return told.code
    if not told.ended_by:
        return "waits" if told.waits else "open"
    if told.ended_by != EndedBy.TOOL:
        return told.ended_by
    return "error" if call.is_error else "ok"
