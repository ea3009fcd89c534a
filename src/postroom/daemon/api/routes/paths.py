"""Going on from an earlier place of a conversation: beside it, or back to it."""

from fastapi import APIRouter

from postroom.daemon.api.given import LISTED, Given, Limit, Line, Reference
from postroom.daemon.api.guard import Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.receipt import Code
from postroom.observe.paths import PlaceView
from postroom.service.fork import ForkView
from postroom.service.revert import RevertView

router = APIRouter(prefix="/agents/{agent}", tags=["paths"])


class ForkGiven(Given):
    """A place as `places` lists them; where the agent stands now without one."""

    to: Line | None = None


class RevertGiven(Given):
    """A place, whether tasks given behind it go on, and whether it is only said what would be done."""

    to: Line
    keep_tasks: bool = False
    dry_run: bool = False


@router.get("/places")
async def places(house: Read, agent: Reference, limit: Limit = LISTED) -> list[PlaceView]:
    """The newest places of a conversation that a fork or a revert can name, oldest first."""
    return await house.room.places(agent, limit)


@router.post("/fork")
async def fork(house: Operate, agent: Reference, given: ForkGiven) -> ForkView:
    """Begin a session where an agent stood or stands; nothing runs before it is written to."""
    return await house.room.fork(agent, given.to)


@router.post("/revert", openapi_extra=refuses(Code.NOT_IDLE))
async def revert(house: Operate, agent: Reference, given: RevertGiven) -> RevertView:
    """Take an idle agent back. What lies behind the place is kept; mail is not undone."""
    return await house.room.revert(agent, given.to, keep_tasks=given.keep_tasks, dry_run=given.dry_run)
