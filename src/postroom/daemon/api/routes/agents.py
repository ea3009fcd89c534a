"""The agents of the store."""

from fastapi import APIRouter

from postroom.daemon.api.given import SomeAgent
from postroom.daemon.api.guard import Read
from postroom.observe.views import AgentView

router = APIRouter(tags=["agents"])


@router.get("/agents")
async def agents(house: Read, session: SomeAgent = None) -> list[AgentView]:
    """The agents of a session's tree, or of the newest trees; each behind the one that made it."""
    return await house.room.agents_view(session)
