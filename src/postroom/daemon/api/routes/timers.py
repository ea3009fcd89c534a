"""Texts of the person that are said later."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from postroom.daemon import later
from postroom.daemon.api.given import LISTED, US_MAX, Given, Id, Limit, MailMode, Name, Words
from postroom.daemon.api.guard import Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.message import Mode
from postroom.domain.receipt import Code
from postroom.observe.timers import TimerSet, TimerShown, timer_list

router = APIRouter(prefix="/timers", tags=["timers"])


class TimerGiven(Given):
    """A text for an agent, and the wall time in microseconds at which it is said."""

    to: Name
    body: Words
    due_us: Annotated[int, Field(ge=0, le=US_MAX)]
    mode: MailMode = Mode.STEER
    client_id: Name | None = None


@router.get("")
async def timers(house: Read, limit: Limit = LISTED) -> list[TimerShown]:
    """The texts that wait for their time, next first; of their bodies no more than the length."""
    return await house.room.store.read(timer_list, limit)


@router.post(
    "",
    status_code=201,
    openapi_extra=refuses(Code.INVALID_BODY, Code.IDEMPOTENCY_CONFLICT, Code.ARCHIVED, "not_found"),
)
async def set_timer(house: Operate, given: TimerGiven) -> TimerSet:
    """Say a text to an agent later. A time that is over is now."""
    kept = await house.room.send_at(
        given.to, given.body, given.due_us, mode=given.mode, client_id=given.client_id
    )
    return TimerSet(timer_id=kept.timer_id, due_us=kept.due_us)


@router.delete("/{timer}", status_code=204)
async def cancel_timer(house: Operate, timer: Id) -> None:
    """Take a text back that was not said yet."""
    await later.cancel_timer(house.room, timer)
