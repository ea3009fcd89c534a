"""What the person was told and should read."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from postroom.daemon.api.given import LISTED, LISTED_MAX, US_MAX, Given, Limit
from postroom.daemon.api.guard import Operate, Read
from postroom.observe.notices import NoticePage, Seen, notice_page

router = APIRouter(prefix="/notices", tags=["notices"])
_Behind = Annotated[str | None, Query(pattern=r"^(un)?seen-\d{1,16}$")]
_NoticeKey = Annotated[int, Field(ge=1, le=US_MAX)]


class SeenGiven(Given):
    """Notices that the person has read: these, and the oldest 500 unread up to one."""

    notices: Annotated[tuple[_NoticeKey, ...], Field(max_length=LISTED_MAX, strict=False)] = ()
    through: _NoticeKey | None = None


@router.get("")
async def notices(house: Read, before: _Behind = None, limit: Limit = LISTED) -> NoticePage:
    """What the person was told: first what nobody has read, then the rest, each half newest first."""
    return await house.room.store.read(notice_page, before, limit)


@router.post("/seen")
async def see_notices(house: Operate, given: SeenGiven) -> Seen:
    """Say that they were read. Twice is fine."""
    return Seen(seen=await house.room.see_notices(given.notices, through=given.through))
