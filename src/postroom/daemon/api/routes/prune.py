"""Forgetting the texts of conversations that are over."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from postroom.app.retention import PruneView
from postroom.daemon.api.given import Given
from postroom.daemon.api.guard import Admin

OLDEST_S = 400 * 366 * 86_400

router = APIRouter(tags=["sessions"])


class PruneGiven(Given):
    """How long nothing must have happened in a conversation, and whether only to say what would go."""

    older_than_s: Annotated[int, Field(ge=0, le=OLDEST_S)]
    dry_run: bool = False


@router.post("/prune")
async def prune(house: Admin, given: PruneGiven) -> PruneView:
    """Remove the texts of conversations that are over; who wrote to whom when, and how much, stays."""
    return await house.room.prune(given.older_than_s, dry_run=given.dry_run)
