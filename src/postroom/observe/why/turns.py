"""A turn: what opened it, what it read and did, what it cost, how it ended."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroom.domain.event import EventKind
from postroom.domain.turn import TurnState
from postroom.observe.why.asks import asked
from postroom.observe.why.calls import calls_of
from postroom.observe.why.messages import sender_of, sent, tasked
from postroom.observe.why.parts import GoalStep, Read, SideCall, Spent, Who
from postroom.observe.why.shapes import TurnWhy
from postroom.observe.why.sight import Entry, Sight, canceller, excerpt
from postroom.store.tx_why import Origin

_STATES = {
    EventKind.TURN_WAITING: TurnState.WAITING,
    EventKind.TURN_STARTED: TurnState.RUNNING,
    EventKind.TURN_SUSPENDED: TurnState.SUSPENDED,
    EventKind.TURN_RESUMED: TurnState.RUNNING,
}
_PAID = frozenset((EventKind.ANSWER_COMMITTED, EventKind.SIDE_CALL_MADE))


@dataclass(slots=True)
class _Course:
    """How a turn went, by its log."""

    state: str = ""
    end_reason: str = ""
    started_us: int | None = None
    ended_us: int | None = None
    chain: int = 0
    messages: int = 0
    generations: int = 0
    task: int | None = None


def turn_why(sight: Sight, origin: Origin) -> TurnWhy:
    """The view of one turn."""
    told = sight.turn(origin.key)
    course = _course(told)
    task = sight.tx.task_row(course.task) if course.task else None
    result = task.result_message if task and task.turn == origin.key else None
    parts = sight.tx.answer_of_turn(origin.key)
    ended = canceller(sight, origin.branch, "ended", origin.key)
    return TurnWhy(
        turn_id=origin.public_id, agent=sight.agent(origin.branch), trigger=origin.trigger,
        previous_id=sight.tx.turn_before(origin.branch, origin.key),
        next_id=sight.tx.turn_after(origin.branch, origin.key), state=course.state,
        end_reason=course.end_reason, cancelled_by=ended.by, cancelled_call_id=ended.call_id,
        opened_us=origin.opened_us, started_us=course.started_us,
        ended_us=course.ended_us, chain=course.chain, messages=course.messages,
        generations=course.generations, task_id=sight.message_id(course.task),
        result_id=sight.message_id(result), read=tuple(_read(sight, told)),
        calls=calls_of(sight, origin.key),
        sent=tuple(sent(sight, key) for key in _keys(told, EventKind.MESSAGE_SENT, "message")),
        tasks=tuple(
            found
            for key in _keys(told, EventKind.TASK_QUEUED, "task")
            if (found := tasked(sight, key)) is not None
        ),
        asks=tuple(
            asked(sight, ask)
            for key in _keys(told, EventKind.ASK_OPENED, "ask")
            if (ask := sight.tx.ask_row(key)) is not None
        ),
        side_calls=tuple(_side_call(sight, e) for e in told if e.kind == EventKind.SIDE_CALL_MADE),
        goals=tuple(_goal_step(sight, e) for e in told if e.kind == EventKind.GOAL_CHANGED),
        spent=_spent(told), text=excerpt(str(json.loads(parts)["text"])) if parts else "",
    )  # fmt: skip


def _course(told: Sequence[Entry]) -> _Course:
    course = _Course()
    for entry in told:
        if entry.kind in _STATES:
            course.state = _STATES[EventKind(entry.kind)]
            course.chain = entry.number("chain") or course.chain
        if entry.kind == EventKind.TURN_STARTED:
            course.started_us, course.task = entry.at_us, entry.number("task")
        if entry.kind in (EventKind.TURN_STARTED, EventKind.TURN_DEEPENED):
            course.messages = entry.number("messages") or 0
            course.generations = entry.number("generations") or 0
        if entry.kind == EventKind.TURN_ENDED:
            course.state, course.end_reason = entry.word("state"), entry.word("end_reason")
            course.ended_us = entry.at_us
    return course


def _keys(told: Sequence[Entry], kind: EventKind, name: str) -> list[int]:
    return [key for entry in told if entry.kind == kind and (key := entry.number(name)) is not None]


def _read(sight: Sight, told: Sequence[Entry]) -> list[Read]:
    """What it claimed, boundary by boundary."""
    reads, answers = list[Read](), 0
    for entry in told:
        if entry.kind == EventKind.ANSWER_COMMITTED:
            answers += 1
        if entry.kind != EventKind.MESSAGE_CLAIMED:
            continue
        how = "returned" if entry.number("node") is None else "joined" if answers else "opened"
        reads.append(_one_read(sight, entry, how, answers + 1))
    return reads


def _one_read(sight: Sight, entry: Entry, how: str, round_: int) -> Read:
    key = sight.tx.message_of_delivery(entry.number("delivery") or 0)
    message = sight.tx.written(key) if key else None
    sender = sender_of(sight, message) if message else Who(by="")
    return Read(
        message_id=message.public_id if message else "", kind=message.kind if message else "", sender=sender,
        how=how, round=round_, at_us=entry.at_us,
    )  # fmt: skip


def _side_call(sight: Sight, entry: Entry) -> SideCall:
    return SideCall(
        purpose=entry.word("purpose"), call_id=sight.call_id(entry.number("call")),
        outcome=entry.word("outcome"), code=entry.word("code"),
    )  # fmt: skip


def _goal_step(sight: Sight, entry: Entry) -> GoalStep:
    return GoalStep(
        goal_id=sight.tx.goal_id(entry.number("goal") or 0), items=entry.number("items") or 0,
        done=entry.number("done") or 0,
    )  # fmt: skip


def _spent(told: Sequence[Entry]) -> Spent:
    spent = Spent()
    for entry in told:
        if entry.kind in _PAID:
            spent = _more(spent, entry)
    return spent


def _more(spent: Spent, entry: Entry) -> Spent:
    def plus(name: str, before: int) -> int:
        return before + (entry.number(name) or 0)

    return replace(
        spent, rounds=spent.rounds + (entry.kind == EventKind.ANSWER_COMMITTED),
        input_tokens=plus("input_tokens", spent.input_tokens),
        output_tokens=plus("output_tokens", spent.output_tokens),
        cache_read_tokens=plus("cache_read_tokens", spent.cache_read_tokens),
        cache_write_tokens=plus("cache_write_tokens", spent.cache_write_tokens),
        cost_micros=plus("cost_micros", spent.cost_micros),
        unpriced=spent.unpriced + (entry.number("cost_micros") is None),
    )  # fmt: skip
