"""What a person does with one message."""

from fastapi import APIRouter

from postroom.daemon.api.given import Id
from postroom.daemon.api.guard import Operate
from postroom.daemon.api.refusals import refuses
from postroom.domain.receipt import Code
from postroom.observe.receipts import ReceiptView, receipt_view

router = APIRouter(prefix="/messages/{message}", tags=["messages"])


@router.post(
    "/recall",
    status_code=204,
    openapi_extra=refuses(
        Code.UNKNOWN_REFERENCE, Code.ALREADY_BEING_READ, Code.ALREADY_ENDED, Code.NOT_RECALLABLE
    ),
)
async def recall(house: Operate, message: Id) -> None:
    """Take back what nobody has read; the agent that wrote it is told. A task is cancelled instead."""
    await house.room.recall(message)


@router.post("/retry", openapi_extra=refuses(Code.NOT_QUARANTINED, Code.ARCHIVED))
async def retry(house: Operate, message: Id) -> ReceiptView:
    """Accept the body of a message that was set aside again, as a new message that names the old one."""
    return receipt_view(await house.room.retry(message))
