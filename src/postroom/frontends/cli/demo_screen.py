"""Where the demo's story is shown: drawn on a terminal, told in lines elsewhere, as JSON for programs."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from postroom.app import Postroom
from postroom.domain.event import EventKind
from postroom.frontends.cli.demo_story import Story
from postroom.frontends.cli.output import Output
from postroom.observe import looks
from postroom.observe.event_view import EventView

if TYPE_CHECKING:
    from postroom.frontends.cli.demo_live import LiveView


class Screen:
    """Follows one room and shows what happens in it."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._story = Story()
        self._live: LiveView | None = None
        self._names: dict[object, str] = {}
        """Branch -> agent, as far as the events have told."""
        self._saying: dict[str, str] = {}
        self._pos = 0
        self._moved = asyncio.Event()

    def text(self, branch: int, piece: str) -> None:
        """A piece of an agent's answer."""
        agent = self._names.get(branch)
        if self._live is None or agent is None:
            return
        self._saying[agent] = self._saying.get(agent, "") + piece
        self._live.say(agent, self._saying[agent])
        self._live.draw()

    @contextlib.asynccontextmanager
    async def following(self, room: Postroom, pos: int) -> AsyncGenerator[None]:
        """Show everything behind a position; on leaving, also what came last."""
        with contextlib.ExitStack() as stack:
            if self._out.is_drawn:
                from postroom.frontends.cli.demo_live import LiveView  # noqa: PLC0415 - loads rich

                self._live = stack.enter_context(LiveView(self._story))
            task = asyncio.create_task(self._follow(room, pos), name="screen")
            try:
                yield
                await self._catch_up(room, task)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _catch_up(self, room: Postroom, task: asyncio.Task[None]) -> None:
        newest = await room.store.read(looks.newest_pos, 0)
        while self._pos < newest and not task.done():
            self._moved.clear()
            moving = asyncio.ensure_future(self._moved.wait())
            await asyncio.wait((moving, task), return_when=asyncio.FIRST_COMPLETED)
            moving.cancel()

    async def _follow(self, room: Postroom, pos: int) -> None:
        async for event in room.subscribe(pos):
            await self._show(room, event)
            self._pos = event.pos
            self._moved.set()

    async def _show(self, room: Postroom, event: EventView) -> None:
        if event.kind == EventKind.TURN_STARTED:
            self._names[event.facts.get("branch")] = event.agent
        if event.kind == EventKind.ANSWER_COMMITTED:
            self._saying[event.agent] = ""
        if self._out.as_json:
            self._out.json_line(looks.as_json(event))
            return
        message = await room.store.read(looks.message, event.message_id) if event.message_id else None
        lines = list(self._story.tell(event, message))
        if self._live is not None:
            self._live.draw()
            return
        for line in lines:
            self._out.line(line)
