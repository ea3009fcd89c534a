"""What the bus is told of what the log says: derived in this one place, after the commit.

So nothing is told that is not durable, and no use case has to think of telling it. What has no entry in
the log (a model that begins to answer, a list that an agent looked at) is told where it happens.
"""

import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias, cast

from postroom.domain.ask import AskKind
from postroom.domain.bus import SUMMARY_CHARS_MAX, TEXT_CHARS_MAX, Draft, Origin
from postroom.domain.event import Event, EventKind, branch_in
from postroom.domain.message import Kind
from postroom.domain.plain import Json
from postroom.domain.task import TaskState
from postroom.domain.turn import EndedBy, call_id
from postroom.errors import IllegalMove
from postroom.observe.event_view import EventView, Names, view_of
from postroom.rules.naming import of_branch
from postroom.rules.text import brief, shorten
from postroom.store.tx import Tx
from postroom.store.tx_views import MessageRow

Wants: TypeAlias = Callable[[str], bool]
Facts: TypeAlias = Mapping[str, Json]
_Payload: TypeAlias = dict[str, Json]


class Told(NamedTuple):
    """One entry of the log, as hooks are told of it, and what it says to the bus."""

    pos: int
    view: EventView | None
    drafts: tuple[Draft, ...]


def read_told(tx: Tx, names: Names | None, pos: int, limit: int, wants: Wants) -> list[Told]:
    """The log behind a position; without `names` nobody wants to see the entries themselves."""
    return [
        Told(
            event.pos,
            None if names is None else view_of(tx, names, event),
            tuple(derive(tx, event, wants)),
        )
        for event in tx.events_after(pos, limit)
    ]


class Seen:
    """One event of the log, with what may be read of it."""

    def __init__(self, tx: Tx, event: Event) -> None:
        self.tx = tx
        self.event = event
        self.facts = cast("Facts", json.loads(event.payload))
        self.drafts: list[Draft] = []

    def key(self, name: str) -> int:
        """A key that the event has."""
        return cast("int", self.facts[name])

    def branch(self) -> int | None:
        """The agent that the event is about."""
        found = self.facts.get("branch")
        if isinstance(found, int):
            return found
        if self.event.turn is not None:
            return self.tx.turn_place(self.event.turn).branch
        return branch_in(self.event.actor)

    def tell(
        self, name: str, payload: _Payload, *, branch: int | None = None, origin: Origin | None = None
    ) -> None:
        """One event of the bus, at the place of this one unless another agent is named."""
        metadata: _Payload = {"pos": self.event.pos}
        about = branch or self.branch()
        if about is not None:
            place = self.tx.branch_place(about)
            metadata |= {
                "session_id": place.session_id, "branch_id": place.branch_id, "agent": place.profile,
            }  # fmt: skip
        else:
            label = self.tx.session_label(self.event.session)
            metadata |= {"session_id": label[1] if label else ""}
        if self.event.turn is not None and branch is None:
            metadata["turn_id"] = self.tx.turn_place(self.event.turn).public_id
        self.drafts.append(Draft(name, payload, metadata, self.event.ts_us, origin))

    def address(self, branch: int) -> str:
        """`SESSION:BRANCH` of an agent."""
        place = self.tx.branch_place(branch)
        return of_branch(place.session_id, place.branch_id)

    def message(self) -> MessageRow | None:
        """The message that the event is of."""
        return self.tx.message_view(self.key("message"))


def derive(tx: Tx, event: Event, wants: Wants) -> list[Draft]:
    """What one event of the log says to the bus, as far as somebody wants to hear it."""
    found = _BY_KIND.get(event.kind)
    if found is None or not any(map(wants, found[0])):
        return []
    seen = Seen(tx, event)
    with contextlib.suppress(IllegalMove, LookupError):  # what was deleted meanwhile has nothing more to say
        found[1](seen)
    return [draft for draft in seen.drafts if wants(draft.type)]


def _session_created(seen: Seen) -> None:
    place = seen.tx.branch_place(seen.key("branch"))
    parent = seen.facts.get("parent_branch")
    parent_id = seen.tx.branch_place(parent).session_id if isinstance(parent, int) else None
    payload: _Payload = {
        "session_id": place.session_id, "agent": place.label, "parent_session_id": parent_id,
    }  # fmt: skip
    origin = Origin.USER if parent_id is None else Origin.AGENT
    seen.tell("session.start", payload, origin=origin)


def _session_deleted(seen: Seen) -> None:
    label = seen.tx.session_label(seen.key("session"))
    seen.tell("session.end", {"session_id": label[1] if label else ""})


def _accepted(seen: Seen) -> None:
    kind, message = seen.facts["kind"], seen.message()
    if message is None:
        return
    if kind == Kind.USER:
        text = shorten(message.body, TEXT_CHARS_MAX)
        payload: _Payload = {"text": text, "message_id": message.public_id, "mode": message.mode}
        seen.tell("user.prompt_submitted", payload)
    elif kind == Kind.REPLY and message.sender_branch is not None:
        letter = _letter(seen, message, message.sender_branch, seen.key("branch"))
        seen.tell("branch.message_replied", letter, branch=message.sender_branch)
        _frame(seen, message, "replied", at=seen.key("branch"), peer=message.sender_branch)


def _sent(seen: Seen) -> None:
    message, sender = seen.message(), branch_in(seen.event.actor)
    if message is None or sender is None or seen.facts["kind"] not in (Kind.MAIL, Kind.TASK):
        return
    to = seen.key("to")
    seen.tell("branch.message_sent", _letter(seen, message, sender, to))
    _frame(seen, message, "sent", at=sender, peer=to)
    if _ends_its_call(seen, to):
        _tool_after(seen, EndedBy.TOOL)


def _held(seen: Seen) -> None:
    """It has not gone yet, but its call has ended."""
    if _ends_its_call(seen, seen.key("branch")):
        _tool_after(seen, EndedBy.TOOL)


def _ends_its_call(seen: Seen, to: int) -> bool:
    """A send ends its call by the entry of its message; of a group send by that of the first recipient."""
    first = next(iter(seen.tx.standings(seen.key("message"))), None)
    return seen.facts.get("call") is not None and (first is None or first.branch == to)


def _letter(seen: Seen, message: MessageRow, sender: int, to: int) -> _Payload:
    return {
        "from": seen.address(sender), "to": seen.address(to), "message_id": message.public_id,
        "kind": message.kind, "mode": message.mode,
    }  # fmt: skip


def _frame(seen: Seen, message: MessageRow, kind: str, *, at: int, peer: int) -> None:
    """What the page of the sender's session shows of it, live."""
    payload: _Payload = {
        "session_id": seen.tx.branch_place(at).session_id, "kind": kind, "peer": seen.address(peer),
        "peer_name": seen.tx.branch_place(peer).label, "summary": brief(message.body, SUMMARY_CHARS_MAX),
    }  # fmt: skip
    seen.tell("branch_message", payload, branch=at)


def _branch_changed(seen: Seen) -> None:
    key = seen.key("branch")
    place = seen.tx.branch_place(key)
    change = seen.event.kind.removeprefix("branch.")
    payload: _Payload = {
        "session_id": place.session_id, "branch_id": place.branch_id, "change": change, "name": place.label,
    }  # fmt: skip
    seen.tell("branches_list", payload, branch=key)


def _task_queued(seen: Seen) -> None:
    _task(seen, str(seen.facts.get("state") or TaskState.QUEUED))


def _task_lined_up(seen: Seen) -> None:
    _task(seen, TaskState.QUEUED)


def _task_started(seen: Seen) -> None:
    _task(seen, TaskState.RUNNING, "subagent.started")


def _task_ended(seen: Seen) -> None:
    _task(seen, str(seen.facts["state"]), "subagent.ended")


def _task(seen: Seen, status: str, also: str = "") -> None:
    """A frame for the session that gave the task; its agent's start and end are events of their own."""
    row = seen.tx.task_row(seen.key("task"))
    if row is None:
        return
    place, dispatcher = seen.tx.branch_place(row.target), seen.tx.branch_place(row.dispatcher)
    outcome, cause = seen.facts.get("outcome", ""), seen.facts.get("cause", "")
    frame: _Payload = {
        "task_id": row.public_id, "status": str(status), "outcome": outcome, "description": row.description,
        "session_id": dispatcher.session_id, "target": seen.address(row.target),
    }  # fmt: skip
    seen.tell("task_status", frame, branch=row.dispatcher)
    payload: _Payload = {
        "task_id": row.public_id, "agent": place.label, "branch_id": place.branch_id,
        "session_id": place.session_id, "description": row.description,
    }  # fmt: skip
    if also == "subagent.started":
        seen.tell("subagent.started", payload, branch=row.dispatcher)
    elif also:
        ended = payload | {"state": str(status), "outcome": outcome, "cause": cause}
        seen.tell("subagent.ended", ended, branch=row.dispatcher)


def _turn_started(seen: Seen) -> None:
    task = seen.facts.get("task")
    row = seen.tx.task_row(task) if isinstance(task, int) else None
    trigger = seen.tx.turn_place(seen.key("turn")).trigger
    given_in = seen.tx.turn_place(row.dispatcher_turn).public_id if row else None
    task_id = row.public_id if row else None
    seen.tell("turn.start", {"trigger": trigger, "task_id": task_id, "given_in_turn_id": given_in})


def _turn_ended(seen: Seen) -> None:
    """Only of a turn that has run: one that found nothing to read was never told of."""
    place = seen.tx.turn_place(seen.key("turn"))
    if not place.ran:
        return
    usage: _Payload = {"rounds": 0, "input_tokens": 0, "output_tokens": 0, "cost_micros": 0}
    for event in seen.tx.answers_of_turn(seen.key("turn")):
        spent = cast("Facts", json.loads(event.payload))
        usage["rounds"] = cast("int", usage["rounds"]) + 1
        for name in ("input_tokens", "output_tokens", "cost_micros"):
            usage[name] = cast("int", usage[name]) + cast("int", spent.get(name) or 0)
    state, reason = seen.facts["state"], seen.facts["end_reason"]
    seen.tell("turn.end", {"state": state, "reason": reason, "usage": usage})


def _call_ended(seen: Seen) -> None:
    _tool_after(seen, str(seen.facts["ended_by"]))


def _tool_after(seen: Seen, ended_by: str) -> None:
    call = seen.tx.call_made(seen.key("call"))
    if call is None:
        return
    full = seen.tx.calls_in_full(call.turn, call.round)[call.position]
    payload: _Payload = {
        "tool": call.tool, "tool_call_id": call_id(call.turn, call.round, call.position),
        "args": full.changed_arguments or full.arguments, "is_error": bool(full.is_error),
        "result_text": shorten(full.result or "", TEXT_CHARS_MAX), "ended_by": str(ended_by),
    }  # fmt: skip
    seen.tell("tool.after", payload)


def _goal(seen: Seen) -> None:
    tx = seen.tx
    branch = tx.session_row(seen.event.session).active_branch
    goal = tx.newest_goal(branch)
    if goal is None:
        return
    change = seen.event.kind.removeprefix("goal.")
    payload: _Payload = {
        "goal_id": goal.public_id, "change": change, "state": seen.facts.get("state", goal.state),
        "text": shorten(goal.text, TEXT_CHARS_MAX), "items": seen.facts.get("items"),
        "done": seen.facts.get("done"), "reminders": seen.facts.get("reminders", goal.reminders),
    }  # fmt: skip
    seen.tell("goal.update", payload, branch=branch, origin=_goal_origin(seen))


def _goal_origin(seen: Seen) -> Origin:
    if seen.event.kind == EventKind.GOAL_REMINDED:
        return Origin.PROACTIVE
    return Origin.USER if seen.event.actor == "person" else Origin.AGENT


def _asked(seen: Seen) -> None:
    ask = seen.tx.ask_row(seen.key("ask"))
    if ask is not None and ask.kind == AskKind.QUESTION:
        question = shorten(ask.text, TEXT_CHARS_MAX)
        seen.tell("question.asked", {"ask_id": ask.public_id, "question": question})


def _compacted(seen: Seen) -> None:
    place = seen.tx.branch_place(seen.key("branch"))
    chars = seen.facts.get("chars")
    seen.tell("context.compacted", {"branch_id": place.branch_id, "chars": chars})


_FRAMES: Final = ("branches_list",)
_GOALS: Final = ("goal.update",)
_BY_KIND: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Seen], None]]]] = {
    EventKind.SESSION_CREATED: (("session.start",), _session_created),
    EventKind.SESSION_DELETED: (("session.end",), _session_deleted),
    EventKind.MESSAGE_ACCEPTED: (
        ("user.prompt_submitted", "branch.message_replied", "branch_message"), _accepted,
    ),
    EventKind.MESSAGE_SENT: (("branch.message_sent", "branch_message", "tool.after"), _sent),
    EventKind.MESSAGE_HELD: (("tool.after",), _held),
    EventKind.BRANCH_MADE: (_FRAMES, _branch_changed),
    EventKind.BRANCH_NAMED: (_FRAMES, _branch_changed),
    EventKind.BRANCH_ARCHIVED: (_FRAMES, _branch_changed),
    EventKind.BRANCH_MERGED: (_FRAMES, _branch_changed),
    EventKind.TASK_QUEUED: (("task_status",), _task_queued),
    EventKind.TASK_LINED_UP: (("task_status",), _task_lined_up),
    EventKind.TASK_STARTED: (("task_status", "subagent.started"), _task_started),
    EventKind.TASK_ENDED: (("task_status", "subagent.ended"), _task_ended),
    EventKind.TURN_STARTED: (("turn.start",), _turn_started),
    EventKind.TURN_ENDED: (("turn.end",), _turn_ended),
    EventKind.CALL_ENDED: (("tool.after",), _call_ended),
    EventKind.GOAL_SET: (_GOALS, _goal),
    EventKind.GOAL_CHANGED: (_GOALS, _goal),
    EventKind.GOAL_REMINDED: (_GOALS, _goal),
    EventKind.GOAL_MOVED: (_GOALS, _goal),
    EventKind.ASK_OPENED: (("question.asked",), _asked),
    EventKind.CONTEXT_COMPACTED: (("context.compacted",), _compacted),
}  # fmt: skip
"""What each kind of entry may tell, so that nothing is read for what nobody wants to hear."""
