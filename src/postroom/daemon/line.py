"""The other side of the door for a program that listens and speaks at once: `postroom chat`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Final, Self

from postroom.daemon.client import closed, failure_in
from postroom.daemon.wire import DoorClosed, Told, decode, encode, socket_path
from postroom.domain.plain import Json

ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
"""One answer may hold a text of 8 MiB, whose every character is an escape."""


class DoorLine:
    """One connection on an event loop. One question at a time, or one stream and nothing else."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._asking = asyncio.Lock()

    @classmethod
    async def connect(cls, folder: Path) -> Self:
        """A connection to the process that runs the store. Raises `DoorClosed` when none does."""
        try:
            return cls(*await asyncio.open_unix_connection(socket_path(folder), limit=ANSWER_BYTES_MAX))
        except OSError as error:
            raise closed() from error

    async def ask(self, command: str, arguments: Mapping[str, Json]) -> Json:
        """One command, one answer. Raises `Told` or `DoorClosed`."""
        async with self._asking:
            await self._send(command, arguments)
            return await self._receive()

    async def stream(self, command: str, arguments: Mapping[str, Json]) -> AsyncGenerator[Json, None]:
        """A command with many answers; ends when the process does."""
        await self._send(command, arguments)
        while True:
            try:
                yield await self._receive()
            except DoorClosed:
                return

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:  # the other side was quicker
            return

    async def _send(self, command: str, arguments: Mapping[str, Json]) -> None:
        given: Json = {name: value for name, value in arguments.items() if value is not None}
        self._writer.write(encode({"id": 1, "command": command, "arguments": given}))
        try:
            await self._writer.drain()
        except OSError as error:
            raise closed() from error

    async def _receive(self) -> Json:
        try:
            line = await self._reader.readline()
        except OSError as error:
            raise closed() from error
        if not line.endswith(b"\n"):
            raise closed()
        answer = decode(line)
        if answer.get("ok") is True:
            return answer.get("result")
        raise Told(failure_in(answer.get("error")))
