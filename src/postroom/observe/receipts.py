"""A receipt as the person and programs get it."""

from dataclasses import dataclass

from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, RecipientState


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    """The message is durable: it will be read, or it will be said why not."""

    message_id: str
    mode: Mode
    recipient_state: RecipientState
    """How the recipient stood when it was accepted."""
    address: str
    """The recipient as its surface prints it."""
    waits: bool
    """Whether it lies behind a turn of the recipient, or behind a stop of the person."""
    stopped: bool
    """Whether the person has stopped the recipient."""
    number: int
    """Its number in the recipient's mailbox: mail is read in this order, whatever a sender's clock says."""


def receipt_view(receipt: Receipt) -> ReceiptView:
    """What a receipt says to the person."""
    return ReceiptView(
        message_id=receipt.message_id, mode=receipt.mode, recipient_state=receipt.recipient_state,
        address=receipt.address, waits=receipt.waits, stopped=receipt.stopped, number=receipt.number,
    )  # fmt: skip
