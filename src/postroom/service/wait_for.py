"""`wait`: an agent waits for tasks, agents and messages of its own, or for whatever comes first.

With targets it ends when all of them are done; without, with the next end of a task that the agent has given.
Before that it ends with mail that may enter the turn, with the stop of something it waits for, and at its
time. Results of the caller's own tasks are claimed by the call that returns them (product.md, Tasks and
waits, 2).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from postroom.domain.keys import BranchKey, CallKey, DeliveryKey, MessageKey
from postroom.domain.message import State
from postroom.domain.receipt import Code, Refusal
from postroom.domain.task import FINAL_STATES, Task
from postroom.domain.turn import EndedBy, Turn
from postroom.errors import StaleFence
from postroom.rules import naming
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.addresses import find_recipient
from postroom.service.facts import Directory
from postroom.service.limits import facts_of_sender
from postroom.service.ownership import task_of
from postroom.service.receipts import address_for
from postroom.service.tasks import Fetched, claim_result, describe_own, is_stopped, refused
from postroom.service.waits import (
    begin_wait,
    deadlock,
    edges_to,
    end_wait,
    ends_when_asked,
    mail_enters,
    would_deadlock,
)
from postroom.store.tx import Tx
from postroom.store.tx_waits import NewWait, Target


class Ended(StrEnum):
    """Why a wait has returned."""

    DONE = "done"
    MAIL = "mail"  # mail came that the next boundary takes
    TIMEOUT = "timeout"
    TARGET_STOPPED = "target_stopped"  # the person has stopped an agent that it waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """One thing that was waited for and is done."""

    what: str
    """`task`, `message` or `agent`."""
    reference: str
    state: str
    """Of a task its outcome; of a message `consumed`, `discarded` or `undelivered`; of an agent `idle`."""
    task: Fetched | None = None
    """A task with its text; nothing of other things."""
    was_read: bool = False
    """A task whose result the agent has read before: it is not told again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitView:
    """How a wait has ended."""

    ended: Ended
    done: tuple[Awaited, ...] = ()
    still_running: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    """The agents that the person has stopped, one for each of them that is stopped."""
    mail_waiting: int = 0
    """Messages that wait for the agent, those among them that the next boundary takes."""


RenderWait: TypeAlias = Callable[[WaitView], str]
"""The surface's words for the end of a wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitRequest:
    """A decoded `wait`: ids of tasks and messages, and addresses of agents; none waits for whatever comes."""

    references: tuple[str, ...]
    render: RenderWait


@dataclass(frozen=True, slots=True)
class _Look:
    """How everything that is waited for stands."""

    done: list[Awaited]
    open: list[str]
    stopped: list[str]

    def ends(self, *, is_for_all: bool) -> Ended | None:
        """Whether that ends the wait."""
        if self.done and not (is_for_all and self.open):
            return Ended.DONE
        if self.stopped and (is_for_all or len(self.stopped) == len(self.open)):
            return Ended.TARGET_STOPPED
        return None


def begin_waiting(
    tx: Tx, turn: Turn, call: CallKey, request: WaitRequest, directory: Directory
) -> str | Refusal | None:
    """What the wait returns at once; `None`, and the turn is suspended. A retry of the call waits on.

    Refuses `unknown_task`, `not_dispatcher`, `unknown_message`, what an address refuses, and
    `would_deadlock`. Raises `StaleFence`.
    """
    tx.own(turn.key, turn.fence)
    if tx.wait_of_call(call) is not None:
        return None
    targets = _targets(tx, turn, call, request.references, directory)
    if isinstance(targets, Refusal):
        return refused(tx, turn, call, targets)
    if (ended := _ended(tx, turn, targets, gives_up=False)) is not None:
        return _return(tx, turn, call, request.render, ended)
    edges = [edge for target in targets for edge in edges_to(tx, target)]
    for edge in edges:
        if would_deadlock(tx, turn.branch, [edge]):
            return refused(tx, turn, call, deadlock(tx, turn.branch, edge))
    by_mail = ends_when_asked(tx, turn.session)
    new = NewWait(kind="all" if targets else "first", by_mail=by_mail, targets=targets)
    begin_wait(tx, turn.session, turn.branch, turn.key, call, new)
    return None


def collect_waiting(tx: Tx, turn: Turn, call: CallKey, render: RenderWait, *, gives_up: bool) -> str | None:
    """What the wait returns, once there is something, or its time is up; else `None`."""
    tx.own(turn.key, turn.fence)
    targets = tx.targets_of_wait(call)
    ended = _ended(tx, turn, targets, gives_up=gives_up)
    if ended is None:
        return None
    end_wait(tx, turn.session, turn.branch, turn.key, call)
    return _return(tx, turn, call, render, ended)


def _targets(
    tx: Tx, turn: Turn, call: CallKey, references: Iterable[str], directory: Directory
) -> list[Target] | Refusal:
    found: list[Target] = []
    for reference in references:
        target = _target(tx, turn, call, reference.strip(), directory)
        if isinstance(target, Refusal):
            return target
        found.append(target)
    return list(dict.fromkeys(found))


def _target(tx: Tx, turn: Turn, call: CallKey, reference: str, directory: Directory) -> Target | Refusal:
    """A task by its id, an agent by what names it, else a message that the caller, or one below it, wrote."""
    if naming.is_task_id(reference):
        task = task_of(tx, turn, reference)
        return task if isinstance(task, Refusal) else Target(task=task.key)
    if naming.is_uuid(reference) and tx.session_by_public_id(reference) is None:
        return _letter(tx, turn, reference)
    sender = tx.sender_of_call(call)
    if sender is None:
        raise StaleFence(f"call {call} does not belong to a turn")
    agent = find_recipient(tx, reference, sender, facts_of_sender(tx, directory, sender), archived=True)
    return agent if isinstance(agent, Refusal) else Target(branch=agent.branch)


def _letter(tx: Tx, turn: Turn, message_id: str) -> Target | Refusal:
    found = tx.message_by_public_id(naming.id_of(message_id))
    key = None if found is None else MessageKey(int(str(found[0])))
    sender = None if key is None else tx.sender_of_message(key).branch
    if sender is None or turn.branch not in tx.branches_above(sender):
        return Refusal(code=Code.UNKNOWN_MESSAGE, facts={"message": message_id[:SHOWN_CHARS]})
    return Target(message=key)


def _ended(tx: Tx, turn: Turn, targets: Sequence[Target], *, gives_up: bool) -> WaitView | None:
    look = _look_at(tx, turn, targets) if targets else _look_around(tx, turn)
    ended = look.ends(is_for_all=bool(targets))
    if ended is None and mail_enters(tx, turn.branch, targets):
        ended = Ended.MAIL
    if ended is None and gives_up:
        ended = Ended.TIMEOUT
    if ended is None:
        return None
    return WaitView(
        ended=ended, done=tuple(look.done), still_running=tuple(look.open), stopped=tuple(look.stopped)
    )


def _look_at(tx: Tx, turn: Turn, targets: Sequence[Target]) -> _Look:
    look = _Look([], [], [])
    for target in targets:
        reference = _reference(tx, turn, target)
        done = _done(tx, reference, target)
        if done is not None:
            look.done.append(done)
            continue
        look.open.append(reference)
        if (stopped := _stopped_agent(tx, target)) is not None:
            look.stopped.append(_address(tx, turn, stopped))
    return look


def _look_around(tx: Tx, turn: Turn) -> _Look:
    """The results of the agent's own tasks that it has not read, and what it has handed out beside them.

    Where there is neither, because another call of the round has just taken the last, it is done as well.
    """
    unread, left = tx.unread_results_of(turn.branch), tx.open_tasks_given(turn.branch)
    if not unread and not left:
        unread = tx.results_taken_in(turn.key, turn.branch)
    return _Look(
        [_done_task(tx, task.public_id, task) for task in unread],
        [task.public_id for task in left],
        [_address(tx, turn, task.target) for task in left if is_stopped(tx, task)],
    )


def _reference(tx: Tx, turn: Turn, target: Target) -> str:
    """How the agent knows what it waits for."""
    if target.branch is not None:
        return _address(tx, turn, target.branch)
    if target.message is not None:
        return tx.message_id(target.message)
    task = tx.task_row(target.task or MessageKey(0))
    return "" if task is None else task.public_id


def _address(tx: Tx, turn: Turn, agent: BranchKey) -> str:
    return address_for(tx, tx.recipient_by_branch(None, agent), turn.branch)


def _done(tx: Tx, reference: str, target: Target) -> Awaited | None:
    if target.branch is not None:
        row = tx.branch_row(target.branch)
        is_at_rest = row.turn is None and row.paused_by is None
        return Awaited(what="agent", reference=reference, state="idle") if is_at_rest else None
    if target.message is not None:
        return _done_letter(tx, reference, target.message)
    task = tx.task_row(target.task or MessageKey(0))
    if task is None or task.state not in FINAL_STATES:
        return None
    return _done_task(tx, reference, task)


def _done_task(tx: Tx, reference: str, task: Task) -> Awaited:
    return Awaited(what="task", reference=reference, state=task.outcome, task=describe_own(tx, task))


def _done_letter(tx: Tx, reference: str, message: MessageKey) -> Awaited | None:
    """Read by everybody it went to, or not to be read any more."""
    states = {item.delivery.state for item in tx.deliveries_of_message(message)}
    if states & {State.HELD, State.ACCEPTED, State.CLAIMED}:
        return None
    state = State.CONSUMED if State.CONSUMED in states else min(states, default=State.DISCARDED)
    return Awaited(what="message", reference=reference, state=state)


def _stopped_agent(tx: Tx, target: Target) -> BranchKey | None:
    """Whom the person has stopped of those who would have to go on for it to be done."""
    if target.message is not None:
        waiting = (m.delivery for m in tx.deliveries_of_message(target.message))
        needed = [d.recipient for d in waiting if d.state is State.ACCEPTED]
    else:
        task = None if target.task is None else tx.task_row(target.task)
        agent = target.branch if task is None else task.target
        needed = [] if agent is None else [agent]
    return next((agent for agent in needed if tx.branch_row(agent).paused_by is not None), None)


def _return(tx: Tx, turn: Turn, call: CallKey, render: RenderWait, view: WaitView) -> str:
    """End the call; the unread results that it returns are claimed by it, once."""
    claimed = [_claim(tx, turn, one) for one in view.done]
    done = tuple(
        replace(one, was_read=key is None and _was_read(tx, turn, one))
        for one, key in zip(view.done, claimed, strict=True)
    )
    text = render(replace(view, done=done, mail_waiting=tx.branch_row(turn.branch).n_waiting))
    is_error = view.ended is Ended.TARGET_STOPPED
    tx.end_call(
        turn.session, turn.key, call, EndedBy.TOOL, text, is_error=is_error,
        delivery=next((key for key in claimed if key is not None), None),
    )  # fmt: skip
    return text


def _claim(tx: Tx, turn: Turn, one: Awaited) -> DeliveryKey | None:
    task = None if one.task is None else tx.task_by_public_id(one.task.task_id)
    return None if task is None else claim_result(tx, turn, task)


def _was_read(tx: Tx, turn: Turn, one: Awaited) -> bool:
    """Its result came to this agent; whoever only looks at a task of another has not read it."""
    task = None if one.task is None else tx.task_by_public_id(one.task.task_id)
    if task is None or task.result_message is None:
        return False
    return any(m.delivery.recipient == turn.branch for m in tx.deliveries_of_message(task.result_message))
