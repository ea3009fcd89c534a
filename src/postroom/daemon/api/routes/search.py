"""Finding texts by their words."""

from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon.api.given import Limit, Line, SomeAgent
from postroom.daemon.api.guard import Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.receipt import Code
from postroom.observe.search import Hit

router = APIRouter(prefix="/search", tags=["search"])
SHOWN = 20


@router.get("", openapi_extra=refuses(Code.INVALID_QUERY))
async def search(
    house: Read, words: Annotated[Line, Query()], session: SomeAgent = None, limit: Limit = SHOWN
) -> list[Hit]:
    """Mail, answers and results that hold all the words, best match first.

    `"two words"` in quotes stand next to each other, `begin*` finds every word that begins so.
    """
    return await house.room.search(words, session=session, limit=limit)
