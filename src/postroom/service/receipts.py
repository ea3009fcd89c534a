"""What a sender is told: how the recipient is called and stands, now and in an earlier receipt."""

from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, RecipientState
from postroom.domain.turn import TurnState
from postroom.store.rows import RecipientRow, SentRow
from postroom.store.tx import Tx


def address_of(tx: Tx, to: RecipientRow) -> str:
    """The handle of an agent, or its session id where it has none."""
    return tx.session_row(to.session).handle or to.public_id


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


def first_receipt(sent: SentRow) -> Receipt:
    """The receipt that this message's sender got; saying it again gives the same one."""
    return Receipt(
        message_id=sent.public_id, mode=Mode(sent.mode), recipient_state=RecipientState(sent.recipient_state)
    )
