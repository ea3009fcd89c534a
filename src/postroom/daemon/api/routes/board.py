"""The board of agents: the first thing that whoever watches looks at."""

from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon.api.given import US_MAX, SomeAgent
from postroom.daemon.api.guard import Read
from postroom.observe.board import ROOTS, ROOTS_MAX, Board, board_of
from postroom.observe.board import board as read_board

router = APIRouter(tags=["agents"])


@router.get("/board")
async def board(
    house: Read,
    session: SomeAgent = None,
    before: Annotated[int | None, Query(ge=0, le=US_MAX)] = None,
    limit: Annotated[int, Query(ge=1, le=ROOTS_MAX)] = ROOTS,
) -> Board:
    """Conversations with what each agent does, newest first; or one agent's tree with everybody in it."""
    room = house.room
    room.check_open()
    waits = room.provider_waits.now()
    if session is not None:
        return await room.store.read(board_of, waits, session)
    return await room.store.read(read_board, waits, before=before, limit=limit)
