"""Mail that ended unread."""

from fastapi import APIRouter

from postroom.daemon.api.given import LISTED, Key, Limit
from postroom.daemon.api.guard import Read
from postroom.observe.dead_letters import DeadLetterPage, dead_letter_page

router = APIRouter(prefix="/dead-letters", tags=["messages"])


@router.get("")
async def dead_letters(house: Read, before: Key = None, limit: Limit = LISTED) -> DeadLetterPage:
    """What was set aside, dropped, denied, taken back or never delivered, with the reason; newest first."""
    return await house.room.store.read(dead_letter_page, before, limit)
