"""The person's hand on what runs: stop, resume, retry (product.md section 4)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from postroom.domain.keys import BranchKey, TurnKey
from postroom.domain.message import HARD_WAITING_MAX, RETRIED, Kind, Mode, Reason, State
from postroom.domain.node import Role
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.domain.session import Branch
from postroom.domain.turn import EndedBy, TurnState
from postroom.rules.naming import SHOWN_CHARS, id_of
from postroom.service.addresses import closed_to_all
from postroom.service.budgets import LimitsNow, unknown_limits
from postroom.service.bus_close import is_offered
from postroom.service.clearing import drop_unread
from postroom.service.close import Ending, end
from postroom.service.facts import Directory, Ring
from postroom.service.goals import nudge
from postroom.service.receipts import address_of, first_receipt, recipient_state
from postroom.service.residency import open_agent
from postroom.service.say import lift_pause
from postroom.service.tasks import cancel_handed_out
from postroom.service.waits import tell_waiters
from postroom.service.wake import drop_ended, insert, wake
from postroom.store.rows import Mail, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

_RESUMABLE = frozenset({TurnState.INTERRUPTED, TurnState.FAILED})
"""Ends after which a turn can go on from where it was."""
STOP_REASON = "cancel.user"
"""Why a stopped branch's task ended (product.md section 4, Stop)."""
STOPPED = Ending(state=TurnState.STOPPED, reason=STOP_REASON, ended_by=EndedBy.STOP)
Runs = Callable[[TurnKey], bool]
"""Whether this process runs the turn, so that its tools can be given time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The branches that are paused now and were not before, and what is to be looked at."""

    branches: tuple[BranchKey, ...]
    ring: Ring


def stop(tx: Tx, branch: BranchKey, runs: Runs, *, whole: bool = False) -> Stopped:
    """Pause a branch and everything below it, and end their turns; a second stop changes nothing.

    `whole` takes all branches of its session, also those that agents of other sessions have made there.
    A turn whose tools work is only told to end: the tools get 30 s, no model is asked any more.
    """
    ring, paused = Ring(), list[BranchKey]()
    for one in _below(tx, branch, whole=whole):
        if tx.pause_branch(tx.branch_row(one).session, one, branch):
            paused.append(one)
    together = frozenset(paused)
    for one in paused:
        row = tx.branch_row(one)
        if row.turn is not None and (turn := tx.turn_row(row.turn)) is not None:
            _end_turn(tx, ring, turn, runs, together)
        ring.halted += tx.open_producers_of_branch(one)
        _clear(tx, ring, row)
        tell_waiters(tx, ring, one)
    drop_ended(tx, ring)
    return Stopped(branches=tuple(paused), ring=ring)


def _below(tx: Tx, branch: BranchKey, *, whole: bool) -> list[BranchKey]:
    """The branch first, then everything that is stopped with it, each once."""
    tops = [branch]
    if whole:
        tops += [row.branch for row in tx.all_branches(tx.branch_row(branch).session)]
    return list(dict.fromkeys(BranchKey(b) for top in tops for b in tx.branches_below(top)))


def _clear(tx: Tx, ring: Ring, row: Branch) -> None:
    """Where the policy says so, what agents wrote and nobody has read is new work that the person stops."""
    if not row.n_waiting or not tx.policy(tx.session_row(row.session).policy).stop_clears:
        return
    for item in tx.accepted(row.key, HARD_WAITING_MAX):
        if item.delivery.owes or item.delivery.kind is Kind.MAIL:
            drop_unread(tx, ring, item, Reason.STOPPED, STOP_REASON)


def _end_turn(tx: Tx, ring: Ring, turn: TurnRow, runs: Runs, paused: frozenset[BranchKey]) -> None:
    """A task that is stopped takes along what it has handed out, also to agents that are not stopped."""
    if turn.task is not None:
        ring.take(cancel_handed_out(tx, turn.task, STOP_REASON, paused))
    if turn.state == TurnState.WAITING:
        tx.end_turn(turn, TurnState.STOPPED, STOP_REASON)
        ring.ended.append(turn.turn)  # it may be summed up just now, before it starts
        return
    if runs(turn.turn) and len(tx.open_calls(turn.turn)) > len(tx.waits_of_branch(turn.branch)):
        ring.stopping.append(turn.turn)
        return
    found = end(tx, turn, STOPPED)
    ring.take(found)
    ring.ended.append(turn.turn)


def resume(
    tx: Tx, branch: BranchKey, directory: Directory, limits: LimitsNow = unknown_limits
) -> Ring | Refusal:
    """Lift the pause, open a turn for parked mail or for held mail, or go on from an interrupted turn.

    Refuses `archived`, `nothing_to_resume`, and `chain_spent` where the chain of that turn may begin none.
    """
    if (closed := closed_to_all(tx, branch)) is not None:
        return closed
    ring = Ring()
    lifted = lift_pause(tx, ring, branch)
    unpark_all(tx, ring, branch)
    row, last = tx.branch_row(branch), tx.last_turn_of_branch(branch)
    goes_on = last is not None and row.turn is None and _can_go_on(tx, row)
    is_spent = last is not None and tx.chain_of(last.chain).is_spent
    if last is not None and goes_on and not is_spent:
        insert(tx, ring, row, "resume", last.chain, None)
    nudge(tx, ring, branch, limits)
    opened = open_agent(tx, branch, directory)
    ring.take(opened.ring)
    if lifted or ring.woken or opened.got_mail:
        return ring
    return Refusal(code=Code.CHAIN_SPENT if goes_on else Code.NOTHING_TO_RESUME)


def _can_go_on(tx: Tx, row: Branch) -> bool:
    """The newest turn was cut, and its conversation does not end with an answer already."""
    head = tx.head_node(row.key)
    return row.last_turn_state in _RESUMABLE and head is not None and head[0] != Role.ASSISTANT


def unpark_all(tx: Tx, ring: Ring, branch: BranchKey, *, as_person: bool = True) -> None:
    """Parked mail may open a turn again; on a paused branch, or in a spent chain, it stays parked.

    What is offered to the person goes only `as_person`.
    """
    row = tx.branch_row(branch)
    if row.paused_by is not None or not row.n_parked:
        return
    for item in tx.accepted(branch, HARD_WAITING_MAX):
        spent = tx.chain_of(item.delivery.chain).is_spent
        if item.delivery.parked and not spent and (as_person or not is_offered(item)):
            tx.unpark(row.session, item.delivery)
    wake(tx, ring, branch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """The new message that names the quarantined one; of a group send one for each place."""

    receipt: Receipt
    ring: Ring


def retry(tx: Tx, message_id: str) -> Retried | Refusal:
    """Accept a quarantined body again as a new message from the same sender, once for each place where it is.

    Refuses `not_quarantined`, and `archived` where nobody is left who could read it.
    """
    message_id = id_of(message_id)
    found = tx.message_by_public_id(message_id)
    items = tx.deliveries_of_message(int(str(found[0]))) if found else []
    ring, refusal = Ring(), Refusal(code=Code.NOT_QUARANTINED, facts={"message": message_id[:SHOWN_CHARS]})
    receipts = list[Receipt]()
    for item in items:
        if item.delivery.state is State.DISCARDED and tx.reason_of(item.delivery.key) == Reason.QUARANTINED:
            again = _say_again(tx, ring, item, f"{RETRIED}{message_id}:{item.delivery.recipient}")
            if isinstance(again, Refusal):
                refusal = again
            else:
                receipts.append(again)
    if not receipts:
        return refusal
    return Retried(receipt=replace(receipts[0], others=tuple(receipts[1:])), ring=ring)


def _say_again(tx: Tx, ring: Ring, item: Mail, client_id: str) -> Receipt | Refusal:
    """What one recipient had set aside; the first receipt where that was done before."""
    if (again := tx.message_of_client(client_id)) is not None:
        return first_receipt(tx, again)
    d = item.delivery
    if (closed := closed_to_all(tx, d.recipient)) is not None:
        return closed
    to = tx.recipient_by_branch(d.sender, d.recipient)
    state = recipient_state(tx, to)
    letter = Letter(
        kind=Kind(d.kind), mode=Mode(d.mode), body=item.body, chain=d.chain, sender=d.sender,
        sender_address=item.sender_address, messages=d.messages, generations=d.generations,
        facts=item.facts, reply_to=d.message, client_id=client_id, actor="person",
    )  # fmt: skip
    _, public_id = tx.post(letter, to, state)
    wake(tx, ring, d.recipient)
    return Receipt(
        message_id=public_id, mode=d.mode, recipient_state=state, address=address_of(tx, to),
        number=to.mailbox_seq + 1,
    )  # fmt: skip
