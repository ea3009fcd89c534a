"""The conversation of an agent, page by page, and the whole of what a page cuts."""

from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon.api.given import US_MAX, Id, Key, NodeKey, Reference
from postroom.daemon.api.guard import Read
from postroom.observe import transcript as told
from postroom.observe.transcript_parts import CallView
from postroom.observe.transcript_rows import NodeText, TranscriptView, TurnView

router = APIRouter(tags=["transcript"])


@router.get("/agents/{agent}/transcript")
async def transcript(
    house: Read,
    agent: Reference,
    before: Key = None,
    after: Annotated[int | None, Query(ge=0, le=US_MAX)] = None,
    limit: Annotated[int, Query(ge=1, le=told.PAGE_MAX)] = told.PAGE,
) -> TranscriptView:
    """The newest items of a conversation, or those before or behind one of them, oldest first."""
    return await house.room.store.read(
        lambda tx: told.transcript(tx, agent, before=before, after=after or None, limit=limit)
    )


@router.get("/nodes/{node}/text")
async def node_text(house: Read, node: NodeKey) -> NodeText:
    """The whole text of an answer, of a summary, or of what the runtime said."""
    return await house.room.store.read(told.node_text, node)


@router.get("/turns/{turn}")
async def turn(house: Read, turn: Id) -> TurnView:
    """The facts of one turn."""
    return await house.room.store.read(told.turn, turn)


@router.get("/calls/{call}")
async def call(house: Read, call: Id) -> CallView:
    """One call with its arguments and its result whole."""
    return await house.room.store.read(told.call, call)
