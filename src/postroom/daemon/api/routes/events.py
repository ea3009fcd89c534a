"""The streams of events: of the whole store, and of one session."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Depends, Header, Query

from postroom.daemon.api.given import REFERENCE_CHARS_MAX, Reference
from postroom.daemon.api.guard import Read, Who, place_for
from postroom.daemon.api.house import House
from postroom.daemon.stream_reply import StreamReply

router = APIRouter(
    tags=["events"],
    responses={200: {"description": "Frames without end", "content": {"text/event-stream": {}}}},
)

_CURSOR_CHARS_MAX: Final = 64
After: TypeAlias = Annotated[str | None, Query(max_length=_CURSOR_CHARS_MAX)]
"""The number behind which the stream begins; without one it begins now."""
LastId: TypeAlias = Annotated[str | None, Header(alias="Last-Event-ID", max_length=_CURSOR_CHARS_MAX)]
"""What a browser sends when it comes back; goes before `after`."""
Text: TypeAlias = Annotated[str, Query(max_length=REFERENCE_CHARS_MAX)]
"""Whose text is told while it streams: `all`, `none`, or an agent."""
Protocol: TypeAlias = Annotated[int | None, Query()]
"""As the header `Postroom-Protocol`, which an `EventSource` cannot send."""


async def _place(house: Read, who: Who) -> AsyncGenerator[asyncio.Event]:
    with place_for(house, who) as revoked:
        yield revoked


Place: TypeAlias = Annotated[asyncio.Event, Depends(_place)]
"""A place for one stream, kept until it has ended; the event is set when its token is revoked."""


@router.get("/events", response_class=StreamReply, status_code=200)
async def events(
    house: Read, place: Place, after: After = None, last_event_id: LastId = None, text: Text = "none",
    protocol: Protocol = None,
) -> StreamReply:  # fmt: skip
    """Everything that happens in the store, behind a `pos`: first the past, then live."""
    del protocol  # was looked at before
    return await _stream(house, place, None, last_event_id or after, text)


@router.get("/sessions/{session}/events", response_class=StreamReply, status_code=200)
async def session_events(  # noqa: PLR0913 -- what can be asked of a stream
    house: Read, place: Place, session: Reference, after: After = None, last_event_id: LastId = None,
    text: Text = "none", protocol: Protocol = None,
) -> StreamReply:  # fmt: skip
    """Everything that happens in one session, behind a `seq`: first the past, then live."""
    del protocol  # was looked at before
    return await _stream(house, place, session, last_event_id or after, text)


async def _stream(
    house: House, place: asyncio.Event, session: str | None, cursor: str | None, text: str
) -> StreamReply:
    return StreamReply(house.streams, await house.streams.wish(session, cursor, text), place)
