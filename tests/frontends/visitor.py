"""A program at the control door that says what it likes."""

import asyncio
import json
from pathlib import Path
from typing import Self, cast

from postroom.daemon.wire import LINE_BYTES_MAX, socket_path
from postroom.domain.plain import Json

PATIENCE_S = 60.0


class Visitor:
    """A connection that sends what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def come(cls, folder: Path) -> Self:
        return cls(*await asyncio.open_unix_connection(socket_path(folder), limit=8 * LINE_BYTES_MAX))

    async def say(self, line: bytes) -> dict[str, Json]:
        """Send bytes and read one answer."""
        self._writer.write(line)
        await self._writer.drain()
        return await self.hear()

    async def ask(self, command: str, **arguments: Json) -> dict[str, Json]:
        """Send a request and read its answer."""
        request = {"id": 7, "command": command, "arguments": arguments}
        return await self.say(json.dumps(request).encode() + b"\n")

    async def hear(self) -> dict[str, Json]:
        """Read one answer."""
        line = await asyncio.wait_for(self._reader.readline(), PATIENCE_S)
        return cast("dict[str, Json]", json.loads(line))

    async def is_hung_up(self) -> bool:
        """Whether the other side has closed the connection."""
        return await asyncio.wait_for(self._reader.read(), PATIENCE_S) == b""

    async def leave(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


def result_of(answer: dict[str, Json]) -> dict[str, Json]:
    assert answer["ok"] is True, answer
    return cast("dict[str, Json]", answer["result"])


def code_of(answer: dict[str, Json]) -> Json:
    assert answer["ok"] is False, answer
    return cast("dict[str, Json]", answer["error"])["code"]
