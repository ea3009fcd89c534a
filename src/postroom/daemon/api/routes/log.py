"""Pages of the log. Who wants to be told of what comes next reads the stream of events instead."""

from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon.api.given import US_MAX, SomeAgent
from postroom.daemon.api.guard import Read
from postroom.observe import looks
from postroom.observe.event_view import EventView

router = APIRouter(tags=["events"])


@router.get("/log")
async def log(
    house: Read,
    session: SomeAgent = None,
    after: Annotated[int, Query(ge=0, le=US_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=looks.PAGE_MAX)] = 200,
) -> list[EventView]:
    """Events behind a number, oldest first: the seq of a session, else the pos of the whole store."""
    return await house.room.store.read(looks.log_page, looks.Names(), session, after, limit)
