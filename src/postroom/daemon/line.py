"""The other side of the door for a program that listens and speaks at once: `postroom chat`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Final, Self

from postroom.daemon.wire import ANSWER_S, DoorClosed, answered, closed, question, silent, socket_path
from postroom.domain.plain import Json

ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
"""One answer may hold a text of 8 MiB, whose every character is an escape."""


class DoorLine:
    """One connection on an event loop. One question at a time, or one stream and nothing else."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer_s: float) -> None:
        self._reader = reader
        self._writer = writer
        self._answer_s = answer_s
        self._asking = asyncio.Lock()

    @classmethod
    async def connect(cls, folder: Path, *, answer_s: float = ANSWER_S) -> Self:
        """A connection to the process that runs the store. Raises `DoorClosed` when none does.

        `answer_s`: how long an answer may take before it is given up; a stream may be silent for ever.
        """
        try:
            reader, writer = await asyncio.open_unix_connection(socket_path(folder), limit=ANSWER_BYTES_MAX)
        except OSError as error:
            raise closed() from error
        return cls(reader, writer, answer_s)

    async def ask(self, command: str, arguments: Mapping[str, Json]) -> Json:
        """One command, one answer. Raises `Told`, `DoorClosed` or `DoorSilent`; the last hangs up."""
        async with self._asking:
            try:
                async with asyncio.timeout(self._answer_s):
                    await self._send(command, arguments)
                    return await self._receive()
            except TimeoutError as error:
                self._writer.close()  # an answer that comes late would be taken for the next one
                raise silent() from error

    async def stream(self, command: str, arguments: Mapping[str, Json]) -> AsyncGenerator[Json, None]:
        """Ask a command with many answers; they end when the process does."""
        await self._send(command, arguments)
        return self._answers()

    async def _answers(self) -> AsyncGenerator[Json, None]:
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
        self._writer.write(question(1, command, arguments))
        try:
            await self._writer.drain()
        except OSError as error:
            raise closed() from error

    async def _receive(self) -> Json:
        try:
            return answered(await self._reader.readline())
        except OSError as error:
            raise closed() from error
