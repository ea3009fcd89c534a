"""The board of a session."""

from fastapi import APIRouter

from postroom.daemon.api.given import SomeAgent
from postroom.daemon.api.guard import Read
from postroom.observe.lists import BoardView

router = APIRouter(prefix="/todos", tags=["tasks"])


@router.get("")
async def todos(house: Read, session: SomeAgent = None) -> BoardView:
    """The board of a session, or of the last active one; an empty one where there is no session."""
    return await house.room.todos(session) or BoardView(session_id="", todos=[])
