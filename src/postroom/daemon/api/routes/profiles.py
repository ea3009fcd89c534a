"""The teams that sessions can begin with, and their profiles."""

from fastapi import APIRouter

from postroom.daemon.api.guard import Read
from postroom.observe.teams import TeamView

router = APIRouter(prefix="/profiles", tags=["profiles"])


@router.get("")
async def profiles(house: Read) -> list[TeamView]:
    """Every team that a session can begin with, the daemon's own first, each with its profiles."""
    return await house.room.team_views()
