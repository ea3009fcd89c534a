"""What a sender is told: how the recipient is called and stands, now and in an earlier receipt."""

from postroom.domain.keys import BranchKey, PolicyKey
from postroom.domain.message import Mode, State
from postroom.domain.receipt import Receipt, RecipientState
from postroom.domain.turn import TurnState
from postroom.rules import naming
from postroom.store.rows import RecipientRow, SenderRow, SentRow
from postroom.store.tx import Tx


def given_name(tx: Tx, branch: BranchKey) -> str:
    """How a branch is called; empty while it only has the name that every first branch has."""
    called = tx.naming_of_branch(branch)
    return called.name if called.source else ""


def address_of(tx: Tx, to: RecipientRow, reader: PolicyKey | None = None) -> str:
    """An agent as the policy of whoever reads it prints it; without a reader, as its own policy does.

    Empty where it has no address in that grammar.
    """
    addressing = tx.policy(to.policy if reader is None else reader).addressing
    return naming.printed(
        addressing, to.public_id, to.handle, to.branch_id, is_active=bool(to.is_active)
    )  # fmt: skip


def address_for(tx: Tx, to: RecipientRow, reader: BranchKey) -> str:
    """The same for an agent that is not at hand."""
    return address_of(tx, to, tx.recipient_by_branch(None, reader).policy)


def address_of_sender(tx: Tx, sender: SenderRow) -> str:
    """The executing agent, printed in the same way."""
    addressing = tx.policy(sender.policy).addressing
    return naming.printed(
        addressing, sender.public_id, sender.handle, sender.branch_id, is_active=bool(sender.is_active)
    )


def mode_at(tx: Tx, to: RecipientRow, mode: Mode) -> Mode:
    """How a message enters there: where mail never joins a running turn, all of it is queued."""
    return mode if tx.policy(to.policy).mail_joins else Mode.QUEUE


def recipient_state(tx: Tx, to: RecipientRow) -> RecipientState:
    """How the recipient stands as its sender is told (product.md section 2)."""
    if to.paused_by is not None:  # also while the tools of a stopped turn still work
        return RecipientState.QUEUED
    if to.turn_state == TurnState.SUSPENDED and any(wait.ask for wait in tx.waits_of_branch(to.branch)):
        return RecipientState.QUEUED
    if to.turn_state in (TurnState.RUNNING, TurnState.SUSPENDED):
        return RecipientState.RUNNING
    if to.turn is None and to.last_turn_state:
        return RecipientState.WAKING_FINISHED
    return RecipientState.QUEUED


def first_receipt(tx: Tx, sent: SentRow, reader: PolicyKey | None = None) -> Receipt:
    """The receipt that this message's sender got; saying it again gives the same one.

    One that was held and has gone reads like one that was never held.
    """
    to, task = tx.recipient_by_branch(None, sent.recipient), tx.task_row(sent.message)
    return Receipt(
        message_id=sent.public_id, mode=Mode(sent.mode), recipient_state=RecipientState(sent.recipient_state),
        address=address_of(tx, to, reader), task_id=task.public_id if task else "",
        held=sent.state == State.HELD, held_for=sent.reason if sent.state == State.HELD else "",
        number=sent.number,
    )  # fmt: skip
