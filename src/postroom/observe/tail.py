"""The log of the store as a stream: from any position, first the past, then live, no gap, no double."""

from collections.abc import AsyncIterator

from postroom.observe.event_view import EventView, Names, read_events, read_session_events
from postroom.store.sqlite import SqliteStore

__all__ = ["EventView", "Names", "read_events", "read_session_events", "subscribe"]

PAGE = 500
"""Events read at once."""


async def subscribe(store: SqliteStore, pos: int) -> AsyncIterator[EventView]:
    """Every event behind `pos`, for ever. The reader may stop at any event and come back with its pos."""
    names, listener = Names(), store.doorbell.listen()
    try:
        while True:
            listener.clear()
            page = await store.read(read_events, names, pos, PAGE)
            for event in page:
                pos = event.pos
                yield event
            if not page:
                await listener.wait()
    finally:
        store.doorbell.leave(listener)
