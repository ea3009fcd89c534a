"""Clients of the event stream: they read through the control door as any program does, drop and come back."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from postroom.daemon.line import DoorLine
from postroom.domain.plain import Json
from postroom.testing.scenario.outcome import StepFailed


@dataclass(slots=True)
class Client:
    """One client over all its connections."""

    name: str
    seen: list[Mapping[str, Json]] = field(default_factory=list[Mapping[str, Json]])
    """The events that it has read, oldest first."""
    reading: asyncio.Task[None] | None = None
    line: DoorLine | None = None
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
        client.line = await DoorLine.connect(self._store)
        client.reads = reads
        events = await client.line.stream("tail", {"pos": begin})
        client.reading = asyncio.create_task(self._read(client, events))
        return begin

    async def asks(self) -> list[Mapping[str, Json]]:
        """The open asks as a client that has just connected is told of them."""
        line = await DoorLine.connect(self._store)
        try:
            return cast("list[Mapping[str, Json]]", await line.ask("asks", {}))
        finally:
            await line.close()

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

    @staticmethod
    async def _read(client: Client, events: AsyncGenerator[Json, None]) -> None:
        wanted = None if client.reads is None else len(client.seen) + client.reads
        async with aclosing(events):
            while wanted is None or len(client.seen) < wanted:
                try:
                    client.seen.append(cast("Mapping[str, Json]", await anext(events)))
                except StopAsyncIteration:
                    return

    @staticmethod
    async def _leave(client: Client) -> None:
        if client.reading is not None:
            client.reading.cancel()
            await asyncio.gather(client.reading, return_exceptions=True)
            client.reading = None
        if client.line is not None:
            await client.line.close()
            client.line = None
