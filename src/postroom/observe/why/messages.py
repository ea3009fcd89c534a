"""A message from its sender to what became of it."""

from collections.abc import Iterator
from dataclasses import replace

from postroom.domain.event import EventKind
from postroom.domain.message import NOBODY, Kind
from postroom.observe.why.asks import asks_of_call, covering
from postroom.observe.why.parts import Granted, Sent, Step, Tasked, Who
from postroom.observe.why.shapes import MessageWhy
from postroom.observe.why.sight import (
    Entry,
    Sight,
    canceller,
    excerpt,
    returning_call,
    round_of,
)
from postroom.store.tx_why import Addressed, Written

PARKED = "parked"
_WORDS = {
    EventKind.MESSAGE_HELD: "held",
    EventKind.MESSAGE_ACCEPTED: "accepted",
    EventKind.MESSAGE_CLAIMED: "claimed",
    EventKind.MESSAGE_RELEASED: "released",
    EventKind.MESSAGE_UNPARKED: "unparked",
    EventKind.MESSAGE_CONSUMED: "consumed",
    EventKind.MESSAGE_DISCARDED: "discarded",
    EventKind.MESSAGE_UNDELIVERED: "undelivered",
}
_STATES = {"released": "accepted", "unparked": "accepted", "reverted": "consumed"}
_NOBODY = Who(by="")


def message_why(sight: Sight, message: Written) -> MessageWhy:
    """The view of one message."""
    tx = sight.tx
    life, to = _life(sight, message), _recipient(sight, message.key)
    readers, post = _readers(sight, message.key), tx.post_row(message.key)
    call = call_of(sight, message)
    return MessageWhy(
        message_id=message.public_id, kind=message.kind, mode=message.mode, sender=sender_of(sight, message),
        turn_id=sight.turn_id(turn_of(sight, message)), call_id=sight.call_id(call), to=to,
        also_to=tuple(sight.agent(one.branch) for one in readers[1:]),
        selector=post.selector if post else "",
        written_us=message.created_us, body=excerpt(message.body), body_bytes=len(message.body.encode()),
        receipt=readers[0].recipient_state if readers else "",
        asks=asks_of_call(sight, message.call),
        grants=_grants(sight, message),
        state=state_of(life), reason=next((s.reason for s in life if s.what == "discarded"), ""),
        life=tuple(life), chain=message.chain, messages=message.messages, generations=message.generations,
        under_task_id=_under(sight, message), answers_id=sight.message_id(_answered(message)),
        answered_by=tuple(sent(sight, key) for key in _answers(sight, message)),
        task=tasked(sight, message.key), goal_id=_goal(sight, message),
    )  # fmt: skip


def sender_of(sight: Sight, message: Written) -> Who:
    """Who sent it, as the event of its acceptance says, or the one that it was held with (G5)."""
    for addressed in _readers(sight, message.key):
        for first in sight.delivery(addressed.key)[:1]:
            return sight.actor(first.actor, message.sender)
    if sight.tx.post_row(message.key) is None:
        return _NOBODY
    return sight.agent(message.sender) if message.sender else Who(by="person")  # nobody took it from its bus


def turn_of(sight: Sight, message: Written) -> int | None:
    """The turn in which it was written; of a result the one that ran the task."""
    if message.turn is not None:
        return message.turn
    task = sight.tx.task_row(message.task) if message.task and message.kind != Kind.MAIL else None
    if task is not None and task.result_message == message.key:
        return task.turn
    call = sight.tx.call_made(call) if (call := call_of(sight, message)) else None
    return call.turn if call else None


def call_of(sight: Sight, message: Written) -> int | None:
    """The call that sent it, or that began the work whose end it tells."""
    return message.call or sight.tx.call_of_work(message.key)


def sent(sight: Sight, key: int) -> Sent:
    """A message as others name it."""
    message = sight.tx.written(key)
    if message is None:
        return Sent(message_id="", kind="", to=_NOBODY, state="", call_id="")
    return Sent(
        message_id=message.public_id, kind=message.kind, to=_recipient(sight, key),
        state=state_of(_life(sight, message)), call_id=sight.call_id(message.call),
    )  # fmt: skip


def tasked(sight: Sight, key: int) -> Tasked | None:
    """The task that a message gives, if it gives one."""
    task = sight.tx.task_row(key)
    if task is None:
        return None
    ended = canceller(sight, task.target, "task", key)
    return Tasked(
        cancelled_by=ended.by, cancelled_call_id=ended.call_id,
        task_id=sight.message_id(key), to=sight.agent(task.target), state=task.state, outcome=task.outcome,
        cause=task.cause, turn_id=sight.turn_id(task.turn), given_in_id=sight.turn_id(task.dispatcher_turn),
        result_id=sight.message_id(task.result_message),
    )  # fmt: skip


def state_of(life: list[Step]) -> str:
    """How it stands after its last step."""
    if not life:
        return ""
    return _STATES.get(life[-1].what, life[-1].what)


def _grants(sight: Sight, message: Written) -> tuple[Granted, ...]:
    for addressed in sight.tx.addressed(message.key):
        for entry in sight.delivery(addressed.key):
            if entry.kind == EventKind.MESSAGE_ACCEPTED:
                return covering(sight, message, addressed.branch, entry.pos)
    return ()


def _recipient(sight: Sight, message: int) -> Who:
    if readers := _readers(sight, message):
        return sight.agent(readers[0].branch)
    post = sight.tx.post_row(message)
    return Who(by="bus", name=post.selector) if post else _NOBODY


def _readers(sight: Sight, message: int) -> list[Addressed]:
    """To whom it went; of a bus those who took it, whom its end without a reader does not count among."""
    return [one for one in sight.tx.addressed(message) if one.branch != NOBODY]


def _life(sight: Sight, message: Written) -> list[Step]:
    """What happened to it, in the order of the log."""
    steps = list[tuple[int, Step]]()
    for addressed in sight.tx.addressed(message.key):
        told = sight.delivery(addressed.key)
        to = None if addressed.branch == NOBODY else sight.agent(addressed.branch)
        steps += [(entry.pos, replace(_step(sight, entry, addressed.key), to=to)) for entry in told]
        if to is not None:
            reverts = _reverts(sight, addressed.branch, addressed.key)
            steps += [(pos, replace(step, to=to)) for pos, step in reverts]
    return [step for _, step in sorted(steps, key=lambda placed: placed[0])]


def _step(sight: Sight, entry: Entry, delivery: int) -> Step:
    what, turn = _WORDS[EventKind(entry.kind)], entry.turn
    round_, call = entry.number("round"), None
    if what == "claimed" and turn is not None:
        told = sight.turn(turn)
        round_ = round_of(told, delivery)
        call = returning_call(told, delivery) if entry.number("node") is None else None
    elif what == "released" and entry.number("parked"):
        what = PARKED
    return Step(
        at_us=entry.at_us, what=what, turn_id=sight.turn_id(turn), round=round_, call_id=sight.call_id(call),
        reason=entry.word("reason"),
    )  # fmt: skip


def _reverts(sight: Sight, branch: int, delivery: int) -> Iterator[tuple[int, Step]]:
    """The person took back the part of the conversation in which it was read."""
    for entry in sight.seldom(sight.tx.branch_row(branch).session):
        left = entry.facts.get("read")
        if entry.kind == EventKind.BRANCH_REVERTED and isinstance(left, list) and delivery in left:
            yield entry.pos, Step(at_us=entry.at_us, what="reverted")


def _under(sight: Sight, message: Written) -> str:
    """A result names in the same column the task that it answers."""
    return sight.message_id(message.task) if message.task != _answered(message) else ""


def _answered(message: Written) -> int | None:
    of_task = message.task if message.turn is None else None
    return message.answers or of_task


def _answers(sight: Sight, message: Written) -> list[int]:
    """Results of older stores name their task only in the task's own row."""
    task = sight.tx.task_row(message.key)
    result = [task.result_message] if task and task.result_message else []
    return sorted({*sight.tx.answers_to(message.key), *result})


def _goal(sight: Sight, message: Written) -> str:
    if message.kind != Kind.GOAL:
        return ""
    for addressed in sight.tx.addressed(message.key):
        session = sight.tx.branch_row(addressed.branch).session
        for entry in sight.seldom(session):
            if entry.number("message") == message.key:
                return sight.tx.goal_id(entry.number("goal") or 0)
    return ""
