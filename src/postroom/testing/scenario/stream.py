"""Clients of the event stream: they read through the control door as any program does, drop and come back."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from postroom.daemon.wire import LINE_BYTES_MAX, encode, socket_path
from postroom.domain.plain import Json
from postroom.testing.scenario.outcome import StepFailed


@dataclass(slots=True)
class Client:
    """One client over all its connections."""

    name: str
    seen: list[Mapping[str, Json]] = field(default_factory=list[Mapping[str, Json]])
    """The events that it has read, oldest first."""
    reading: asyncio.Task[None] | None = None
    writer: asyncio.StreamWriter | None = None
    reads: int | None = None

    @property
    def pos(self) -> int:
        """The position of the last event that it has seen."""
        return cast("int", self.seen[-1]["pos"]) if self.seen else 0


class Clients:
    """All clients of a scenario, by name."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._clients: dict[str, Client] = {}

    @property
    def any(self) -> bool:
        """Whether somebody reads."""
        return any(client.reading is not None for client in self._clients.values())

    def named(self, name: str) -> Client:
        """One client. Raises `StepFailed` when it never connected."""
        if name not in self._clients:
            raise StepFailed(f"a client {name}", f"there are {', '.join(self._clients) or 'none'}")
        return self._clients[name]

    async def connect(self, name: str, pos: int | None, reads: int | None) -> int:
        """Connect behind a position, or behind what the client has seen; that position."""
        client = self._clients.setdefault(name, Client(name))
        await self._leave(client)
        begin = client.pos if pos is None else pos
        reader, client.writer = await asyncio.open_unix_connection(
            str(socket_path(self._store)), limit=LINE_BYTES_MAX
        )
        client.writer.write(encode({"id": 1, "command": "tail", "arguments": {"pos": begin}}))
        client.reads = reads
        client.reading = asyncio.create_task(self._read(client, reader, reads))
        return begin

    async def drop(self, name: str) -> int:
        """Hang up, after what was to be read; how much the client has seen in all."""
        client = self.named(name)
        if client.reading is not None and client.reads is not None:
            await client.reading
        await self._leave(client)
        return len(client.seen)

    async def hang_up(self) -> None:
        """All of them, at once: the process ends."""
        for client in self._clients.values():
            await self._leave(client)

    async def _read(self, client: Client, reader: asyncio.StreamReader, reads: int | None) -> None:
        left = reads
        while left is None or left > 0:
            line = await reader.readline()
            if not line.endswith(b"\n"):
                return
            frame = cast("Mapping[str, Json]", json.loads(line))
            client.seen.append(cast("Mapping[str, Json]", frame.get("result", frame)))
            left = None if left is None else left - 1

    async def _leave(self, client: Client) -> None:
        if client.reading is not None:
            client.reading.cancel()
            await asyncio.gather(client.reading, return_exceptions=True)
            client.reading = None
        if client.writer is not None:
            client.writer.close()
            client.writer = None
