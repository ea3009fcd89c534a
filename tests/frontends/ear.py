"""A client of a stream, as small as one can be: lines of server-sent events become frames."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import httpx2

from postroom.domain.plain import Json

PATIENCE_S = 60.0
Facts: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Heard:
    """One frame; a comment is one of the kind `:`."""

    kind: str
    id: str
    data: str

    @property
    def facts(self) -> Facts:
        """The data as an object."""
        found: dict[str, Json] = json.loads(self.data)
        return found


class Ear:
    """One open stream."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.heard: list[Heard] = []
        """Every frame so far."""
        self._frames = _frames(response)

    async def next(self) -> Heard:
        """The next frame."""
        async with asyncio.timeout(PATIENCE_S):
            frame = await anext(self._frames)
        self.heard.append(frame)
        return frame

    async def until(self, kind: str) -> Heard:
        """The next frame of a kind."""
        while (frame := await self.next()).kind != kind:
            pass
        return frame

    async def until_event(self, kind: str) -> Facts:
        """The next event of a kind."""
        while (facts := (await self.until("log")).facts)["kind"] != kind:
            pass
        return facts

    async def until_pos(self, pos: int) -> None:
        """Up to a position of the log."""
        while not self.log or int(str(self.log[-1].facts["pos"])) < pos:
            await self.until("log")

    async def to_the_end(self) -> list[Heard]:
        """Everything until the other side hangs up."""
        async with asyncio.timeout(PATIENCE_S):
            self.heard += [frame async for frame in self._frames]
        return self.heard

    @property
    def log(self) -> list[Heard]:
        """The events so far."""
        return [frame for frame in self.heard if frame.kind == "log"]


@contextlib.asynccontextmanager
async def listening(
    client: httpx2.AsyncClient, path: str = "/events", *, last_id: str | None = None, **query: str | int
) -> AsyncGenerator[Ear]:
    """A stream, from its first frame until the context is left."""
    headers = {} if last_id is None else {"last-event-id": last_id}
    async with client.stream("GET", path, headers=headers, params=query) as response:
        assert response.status_code == 200, await response.aread()
        yield Ear(response)


async def _frames(response: httpx2.Response) -> AsyncGenerator[Heard]:
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line.startswith(":"):
            yield Heard(":", "", line[1:].strip())
        elif line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Heard(fields.get("event", ""), fields.get("id", ""), fields.get("data", ""))
            fields = {}
