"""What holds at the end of every scenario, asserted from the log and not from what the code believes.

I1 a receipted message is pending, was consumed once, or ended with a notice. I2 no message is new input
twice. I3 the recorded sender is the run that executed the call. I4 the strict model refused nothing.
I5 a reopened store is what the live one was. I6 no task hangs. I7 counters equal a recount. I8 quiet stays
quiet.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from postroom.domain.event import Event, EventKind, actor_of
from postroom.domain.message import TASKS, Delivery, Kind, Mode, Reason, State
from postroom.domain.node import facts_of
from postroom.domain.task import FINAL_STATES
from postroom.llm.port import ModelRequest, ResultItem
from postroom.rules.lifecycle import Counts, counts
from postroom.store.tx import Tx

ALL = 1_000_000
_RECEIPT = re.compile(
    r"^(?:message_id: |\[[^\]\n]+\] delivery_id=|\[message \w+\] id=|\{\"messageId\":\")([0-9a-f-]{36})",
    re.MULTILINE,
)


@dataclass(slots=True)
class Told:
    """One delivery as the log tells it."""

    message: int
    branch: int
    session: int
    sender: int | None
    kind: Kind
    mode: Mode
    seq: int
    state: State = State.ACCEPTED
    parked: bool = False
    consumed: int = 0
    reason: str = ""
    attempts: int = 0

    def counts(self) -> Counts:
        """What it adds to the counters of its mailbox."""
        return counts(self.kind, self.mode, self.state, parked=self.parked)


@dataclass(slots=True)
class Ledger:
    """The log of a store, read once and told as deliveries, tasks, turns and chains."""

    deliveries: dict[int, Told] = field(default_factory=dict[int, Told])
    tasks: dict[int, int] = field(default_factory=dict[int, int])
    branches: dict[int, int] = field(default_factory=dict[int, int])
    """Branch to session."""
    begins_at: dict[int, int] = field(default_factory=dict[int, int])
    """Branch of a fork -> the highest number that its conversation may show already."""
    left: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Branch -> the sealed branches that its reverts have left."""
    sent: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """(message, call, session of the log) of every message that a call sent."""
    summed_up: Counter[int] = field(default_factory=Counter[int])
    """Branch -> how often its beginning was summed up."""
    posted: dict[int, int] = field(default_factory=dict[int, int])
    """Message to a selector -> its bus."""
    closed: set[int] = field(default_factory=set[int])
    """Buses."""
    chain_turns: Counter[int] = field(default_factory=Counter[int])
    person_notices: Counter[str] = field(default_factory=Counter[str])
    archived_by: dict[int, str] = field(default_factory=dict[int, str])
    """Branch -> who archived it."""


def fresh_starts(tx: Tx) -> Counter[str]:
    """How often each branch was taken back or summed up, by its public id."""
    ledger = read_ledger(tx)
    counted = Counter({branch: len(sealed) for branch, sealed in ledger.left.items()}) + ledger.summed_up
    return Counter({tx.branch_public_id(branch): times for branch, times in counted.items()})


def rewritten(requests: Iterable[ModelRequest], fresh: Counter[str]) -> Iterator[str]:
    """I2 as models see it: a later request of a branch continues the one before it, byte for byte.

    At most once for each revert and each summary of the branch it may begin anew. The requests come profile
    by profile, and a branch may run as several: of each the later ones continue its earlier ones.
    """
    last: dict[tuple[str, str], ModelRequest] = {}
    for request in requests:
        before = last.get((request.branch, request.agent))
        if before is not None and request.items[: len(before.items)] != before.items:
            fresh[request.branch] -= 1
        if fresh[request.branch] < 0:
            yield f"a request of {request.agent} does not continue the one before it"
        last[request.branch, request.agent] = request


def receipts(requests: Iterable[ModelRequest]) -> list[str]:
    """The message ids that success receipts gave to models."""
    results = (item for r in requests for item in r.items if isinstance(item, ResultItem))
    return sorted({found for result in results for found in _RECEIPT.findall(result.text)})


def picture(tx: Tx) -> list[str]:
    """Every branch, delivery, task and conversation, as text that can be compared."""
    ledger = read_ledger(tx)
    shown = [repr(tx.branch_row(b)) for b in ledger.branches]
    shown += [repr(m) for told in ledger.deliveries.values() for m in tx.deliveries_of_message(told.message)]
    shown += [repr(tx.task_row(t)) for t in ledger.tasks]
    return shown + [repr(tx.path_to_head(tx.head_of(b) or 0)) for b in ledger.branches]


def flaws(tx: Tx, receipted: list[str]) -> list[str]:
    """What is wrong with a quiet store; `receipted` are message ids that models were given."""
    ledger = read_ledger(tx)
    lost = [f"I1 receipt {i} names no message" for i in receipted if tx.message_by_public_id(i) is None]
    return [
        *lost,
        *(f"I1 {flaw}" for flaw in _unaccounted(tx, ledger)),
        *(f"I2 {flaw}" for flaw in _doubled(tx, ledger)),
        *(f"I3 {flaw}" for flaw in _missigned(tx, ledger)),
        *(f"I6 {flaw}" for flaw in _hanging(tx, ledger)),
        *(f"I7 {flaw}" for flaw in _miscounted(tx, ledger)),
    ]


def miscounts(tx: Tx) -> list[str]:
    """I7 alone, which holds at every moment and not only when all is quiet."""
    return list(_miscounted(tx, read_ledger(tx)))


def read_ledger(tx: Tx) -> Ledger:
    """Fold the log."""
    ledger = Ledger()
    for event in tx.events_after(0, ALL):
        _fold(ledger, event, cast("dict[str, int]", json.loads(event.payload)))
    return ledger


def _fold(ledger: Ledger, event: Event, p: dict[str, int]) -> None:
    if event.kind.startswith("message."):
        _fold_message(ledger, event, p)
        return
    match event.kind:
        case EventKind.SESSION_CREATED | EventKind.BRANCH_MADE | EventKind.BRANCH_REVERTED:
            _fold_branch(ledger, event, p)
        case EventKind.SESSION_FORKED:
            ledger.begins_at[p["branch"]] = p["seq"]
        case EventKind.TASK_QUEUED:
            ledger.tasks[p["task"]] = p["target"]
        case EventKind.TURN_STARTED:
            ledger.chain_turns[p["chain"]] += 1
        case EventKind.BUS_POSTED:
            ledger.posted[p["message"]] = p["bus"]
        case EventKind.BUS_CLOSED:
            ledger.closed.add(p["bus"])
        case _:
            _fold_word(ledger, event, p)


def _fold_message(ledger: Ledger, event: Event, p: dict[str, int]) -> None:
    match event.kind:
        case EventKind.MESSAGE_ACCEPTED | EventKind.MESSAGE_HELD:
            ledger.deliveries[p["delivery"]] = _told(event, p)
        case EventKind.MESSAGE_SENT if p["call"]:
            ledger.sent.append((p["message"], p["call"], event.session))
        case EventKind.MESSAGE_UNDELIVERED | EventKind.MESSAGE_DISCARDED if "message" in p:
            ledger.deliveries[p["delivery"]] = _stranded(event, p)
        case EventKind.MESSAGE_DELIVERED:  # its sender's log says so before its reader's says the rest
            pass
        case kind if "delivery" in p and kind != EventKind.MESSAGE_DELIVERED:
            _fold_delivery(ledger.deliveries[p["delivery"]], event.kind, p)
        case _:
            pass


def _fold_word(ledger: Ledger, event: Event, p: dict[str, int]) -> None:
    match event.kind:
        case EventKind.PERSON_NOTIFIED:
            ledger.person_notices[str(p["code"])] += 1
        case EventKind.CONTEXT_COMPACTED:
            ledger.summed_up[p["branch"]] += 1
        case EventKind.BRANCH_ARCHIVED:
            ledger.archived_by[p["branch"]] = event.actor
        case _:
            pass


def _told(event: Event, p: dict[str, int]) -> Told:
    """A delivery as it begins; what is held has no place in a mailbox yet."""
    return Told(
        message=p["message"], branch=p["branch"], session=event.session, sender=p["sender"],
        kind=Kind(str(p["kind"])), mode=Mode(str(p["mode"])), seq=p.get("seq", 0),
        state=State.HELD if event.kind == EventKind.MESSAGE_HELD else State.ACCEPTED,
    )  # fmt: skip


def _stranded(event: Event, p: dict[str, int]) -> Told:
    """A delivery that is born at its end: nobody took the message from its bus."""
    told = _told(event, p)
    told.state = State.UNDELIVERED
    if event.kind == EventKind.MESSAGE_DISCARDED:
        told.state, told.reason = State.DISCARDED, str(p["reason"])
    return told


def _fold_branch(ledger: Ledger, event: Event, p: dict[str, int]) -> None:
    """A branch that was made, or one that a revert left; that one has no mail of its own."""
    ledger.branches[p.get("sealed", p["branch"])] = event.session
    if "sealed" in p:
        ledger.left.setdefault(p["branch"], []).append(p["sealed"])


def _fold_delivery(told: Told, kind: str, p: dict[str, int]) -> None:
    match kind:
        case EventKind.MESSAGE_CLAIMED:
            told.state, told.parked, told.attempts = State.CLAIMED, told.parked, told.attempts + 1
        case EventKind.MESSAGE_RELEASED:
            told.state, told.parked = State.ACCEPTED, bool(p["parked"])
        case EventKind.MESSAGE_UNPARKED:
            told.parked = False
        case EventKind.MESSAGE_CONSUMED:
            told.state, told.consumed = State.CONSUMED, told.consumed + 1
        case EventKind.MESSAGE_UNDELIVERED:
            told.state = State.UNDELIVERED
        case EventKind.MESSAGE_DISCARDED:
            told.state, told.reason = State.DISCARDED, str(p["reason"])
        case _:
            pass


def _unaccounted(tx: Tx, ledger: Ledger) -> Iterator[str]:
    notices = _notices(tx, ledger)
    for key, told in ledger.deliveries.items():
        stands = _delivery_at(tx, told)
        if stands is None or stands.state != told.state:
            yield f"delivery {key} is {told.state} in the log and not in its row"
        if told.state is State.CONSUMED and told.consumed != 1:
            yield f"delivery {key} was consumed {told.consumed} times"
        if told.state is State.DISCARDED and not _was_told(tx, ledger, told, notices):
            yield f"delivery {key}, a {told.kind}, was discarded ({told.reason}) and nobody was told"
        if told.state is State.CLAIMED:
            yield f"delivery {key} is claimed although nothing runs"
    yield from _left_on_a_bus(ledger)


def _left_on_a_bus(ledger: Ledger) -> Iterator[str]:
    """Quiet: no bus is open, and of everything that was written on one it is known what became of it."""
    known = {told.message for told in ledger.deliveries.values()}
    for message, bus in ledger.posted.items():
        if bus not in ledger.closed:
            yield f"message {message} stands on an open bus although nothing runs"
        elif message not in known:
            yield f"message {message} stood on a bus and nobody knows what became of it"


def _delivery_at(tx: Tx, told: Told) -> Delivery | None:
    """The row of a delivery: a message has one for each of its recipients."""
    found = [m.delivery for m in tx.deliveries_of_message(told.message)]
    return next((d for d in found if d.recipient == told.branch), None)


def _notices(tx: Tx, ledger: Ledger) -> set[tuple[int | None, str]]:
    """(branch, code) of what the runtime told somebody; the person is no branch."""
    told: set[tuple[int | None, str]] = {(None, code) for code in ledger.person_notices}
    for one in ledger.deliveries.values():
        if one.kind is Kind.NOTICE and one.sender is None:
            facts = tx.deliveries_of_message(one.message)[0].facts
            told.add((one.branch, facts_of(facts).code))
    return told


def _was_told(tx: Tx, ledger: Ledger, told: Told, notices: set[tuple[int | None, str]]) -> bool:
    """A task's notice is its report; other mail has a notice of its own, and of what goes with an archive
    the agent hears that archives, or whoever reads it instead; of what a deleted agent held, the person.
    """
    if told.kind in TASKS:
        task = tx.task_row(told.message)
        return task is not None and task.state in FINAL_STATES
    if told.branch in ledger.archived_by and told.reason in (Reason.ARCHIVED, Reason.DELETED):
        is_own = told.sender is not None and ledger.archived_by[told.branch] == actor_of(told.sender)
        if is_own or told.kind in _PASSED_ON or (None, told.reason) in notices:
            return True
    is_the_persons = told.kind is Kind.RESULT or (not told.seq and told.reason == Reason.DELETED)
    if is_the_persons and (None, told.reason) in notices:
        return True
    if told.reason == Reason.RECALLED or (told.sender, told.reason) in notices:
        return True
    answers = [tx.message_view(answer) for answer in tx.answers_to(told.message)]
    return any(view is not None and view.sender_branch == told.branch for view in answers)


_PASSED_ON = frozenset({Kind.NOTICE, Kind.RESULT, Kind.REPLY, Kind.GOAL})


def _doubled(tx: Tx, ledger: Ledger) -> Iterator[str]:
    for branch in ledger.branches:
        head = tx.head_of(branch)
        nodes = tx.path_to_head(head) if head is not None else []
        seen = Counter(n.message for n in nodes if n.message is not None)
        yield from (f"message {m} stands {n} times in branch {branch}" for m, n in seen.items() if n > 1)
        on_path = {n.key for n in nodes}
        for sealed in ledger.left.get(branch, ()):
            on_path |= {n.key for n in tx.path_to_head(tx.head_of(sealed) or 0)}
        for told in ledger.deliveries.values():
            if told.branch != branch or told.state is not State.CONSUMED:
                continue
            stands = _delivery_at(tx, told)
            if stands is None or stands.node not in on_path:
                yield f"message {told.message} is consumed and not in the conversation"


def _missigned(tx: Tx, ledger: Ledger) -> Iterator[str]:
    for message, call, session in ledger.sent:
        ran, view = tx.sender_of_call(call), tx.message_view(message)
        if ran is None or view is None or view.sender_branch != ran.branch or ran.session != session:
            yield f"message {message} is not signed by the run of call {call}"


def _hanging(tx: Tx, ledger: Ledger) -> Iterator[str]:
    """Quiet: an open task must have its first text waiting in a mailbox that is paused, or held."""
    states = {told.message: told.state for told in ledger.deliveries.values()}
    for task, target in ledger.tasks.items():
        row, branch = tx.task_row(task), tx.branch_row(target)
        paused = branch.paused_by is not None and states.get(task) is State.ACCEPTED
        waits = paused or states.get(task) is State.HELD
        if row is None or (row.state not in FINAL_STATES and not waits):
            yield f"task {task} is open and nobody runs it"


def _miscounted(tx: Tx, ledger: Ledger) -> Iterator[str]:
    for branch in ledger.branches:
        own = [d for d in ledger.deliveries.values() if d.branch == branch]
        counted = Counts(
            *(sum(column) for column in zip(*(d.counts() for d in own), strict=True)) if own else (0,) * 5
        )
        row = tx.recipient_by_branch(None, branch)
        kept = Counts(row.n_steer, row.n_queue, row.n_notice, row.n_parked, row.n_cap)
        if counted != kept:
            yield f"branch {branch} counts {kept}, the log says {counted}"
        if row.mailbox_seq != max([ledger.begins_at.get(branch, 0), *(d.seq for d in own)]):
            yield f"branch {branch} has given {row.mailbox_seq} places in its mailbox"
        yield from _misjudged_windows(tx, branch, own)
    for chain, turns in ledger.chain_turns.items():
        if tx.chain_of(chain)[0] != turns:
            yield f"chain {chain} counts {tx.chain_of(chain)[0]} turns, the log says {turns}"


def _misjudged_windows(tx: Tx, branch: int, own: list[Told]) -> Iterator[str]:
    unacked = Counter(d.sender for d in own if d.sender is not None and d.counts().cap)
    for sender in {d.sender for d in own if d.sender is not None}:
        kept = tx.recipient_by_branch(sender, branch).unacked or 0
        if kept != unacked[sender]:
            yield f"the window from {sender} to {branch} counts {kept}, the log says {unacked[sender]}"
