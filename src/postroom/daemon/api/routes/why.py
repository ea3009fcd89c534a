"""Why something happened: mail, turns, calls, tasks, asks and cost in one chain."""

from fastapi import APIRouter

from postroom.daemon.api.given import Id
from postroom.daemon.api.guard import Read
from postroom.observe.why import Why

router = APIRouter(tags=["why"])


@router.get("/why/{reference}")
async def why(house: Read, reference: Id) -> Why:
    """Why there is a message, task, turn, call or ask, by its id, or why an agent woke; what came of it."""
    return await house.room.why(reference)
