"""A room that somebody watches: one of this process, or one that is reached through the door of another."""

from collections.abc import AsyncIterator
from dataclasses import fields
from pathlib import Path
from typing import Final, Protocol, cast

from postroom.app import Postroom
from postroom.daemon.line import DoorLine
from postroom.domain.plain import Json
from postroom.frontends.cli.texts import Row, rows, text
from postroom.observe.event_view import EventView
from postroom.observe.heard import landed, notice
from postroom.observe.looks import as_json, newest_pos


class Watched(Protocol):
    """What is needed to tell of the work of a tree."""

    async def find_session(self, session: str) -> str:
        """The session id of an agent that is named in any of its ways."""
        ...

    async def find_branch(self, session: str) -> str:
        """The branch id of such an agent."""
        ...

    async def newest(self) -> int:
        """Where the log stands."""
        ...

    def events(self, pos: int) -> AsyncIterator[EventView]:
        """Everything behind a position, then live."""
        ...

    async def notice(self, key: int) -> str:
        """What the person was told, in words."""
        ...

    async def landed(self, message: int, branch: int) -> Json:
        """A message as the reader of its bus gets it."""
        ...

    async def asks(self, session_id: str) -> list[Row]:
        """What the agents of a tree ask the person."""
        ...


class Here:
    """A room of this process."""

    def __init__(self, room: Postroom) -> None:
        self._room = room

    async def find_session(self, session: str) -> str:
        """As `Watched` says; so are the others."""
        return await self._room.find(session)

    async def find_branch(self, session: str) -> str:
        """See above."""
        return await self._room.find_branch(session)

    async def newest(self) -> int:
        """See above."""
        return await self._room.store.read(newest_pos, 0)

    def events(self, pos: int) -> AsyncIterator[EventView]:
        """See above."""
        return self._room.subscribe(pos)

    async def notice(self, key: int) -> str:
        """See above."""
        return await self._room.store.read(notice, key)

    async def landed(self, message: int, branch: int) -> Json:
        """See above."""
        return await self._room.store.read(landed, message, branch)

    async def asks(self, session_id: str) -> list[Row]:
        """See above."""
        return [cast("Row", as_json(view)) for view in await self._room.asks(session_id)]


_KNOWN: Final = frozenset(entry.name for entry in fields(EventView))


class There:
    """A room behind the door of another process."""

    def __init__(self, folder: Path, door: DoorLine) -> None:
        self._folder = folder
        self._door = door

    async def find_session(self, session: str) -> str:
        """As `Watched` says; so are the others."""
        return text(await self._row("find", session=session), "session_id")

    async def find_branch(self, session: str) -> str:
        """See above."""
        return text(await self._row("find", session=session), "branch_id")

    async def newest(self) -> int:
        """See above."""
        return int(text(await self._row("status"), "pos"))

    async def events(self, pos: int) -> AsyncIterator[EventView]:
        """See above. What a newer process says beside that is passed over."""
        line = await DoorLine.connect(self._folder)
        try:
            async for event in await line.stream("tail", {"pos": pos}):
                known = {key: value for key, value in cast("Row", event).items() if key in _KNOWN}
                yield EventView(**known)  # pyright: ignore[reportArgumentType]
        finally:
            await line.close()

    async def notice(self, key: int) -> str:
        """See above."""
        return str(await self._door.ask("notice", {"notice": key}))

    async def landed(self, message: int, branch: int) -> Json:
        """See above."""
        return await self._door.ask("landed", {"message": message, "branch": branch})

    async def asks(self, session_id: str) -> list[Row]:
        """See above."""
        return rows(await self._door.ask("asks", {"session": session_id}))

    async def _row(self, command: str, **arguments: Json) -> Row:
        found = await self._door.ask(command, arguments)
        return found if isinstance(found, dict) else {}
