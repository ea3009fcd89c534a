"""What `postroom run` shows while agents work: text as it comes, who writes to whom, what is asked."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncGenerator
from pathlib import Path

from postroom.app import Hooks
from postroom.domain.event import EventKind
from postroom.errors import ModelUnavailable, StoreFault
from postroom.frontends.cli.ask_teller import AskTeller
from postroom.frontends.cli.notices import landed_key, landed_words, notice_key, notice_words
from postroom.frontends.cli.output import Output, Pieces
from postroom.frontends.cli.running import store_words
from postroom.frontends.cli.watched import Watched
from postroom.observe.tail import EventView
from postroom.rules.text import brief

BETWEEN_AGENTS = frozenset(("prompt", "mail", "task", "reply", "result", "plugin"))
"""Kinds of message that a person who watches is told of: what agents write, and ends of their work."""

LANDED_CHARS = 200
"""How much of a message a line shows as it lands."""


class Teller:
    """Writes to a terminal and nowhere else; a program that reads the output gets the answer alone."""

    def __init__(self, out: Output, store: Path) -> None:
        """`store`: the folder that a command names when it decides an ask from elsewhere."""
        self._out = out
        self._asks = AskTeller(self._say, functools.partial(store_words, store))
        self._shows = out.is_terminal and not out.as_json
        self._branch: int | None = None
        self._branch_id = ""
        self._session_id = ""
        self._pos = 0
        """Behind the newest event that was told."""
        self._answer = ""
        self._pieces = Pieces()
        self._at_start = True
        self._paused_by = ""
        self.last_text = ""
        """The newest whole answer that was shown."""

    @property
    def hooks(self) -> Hooks:
        """What a room is to tell it."""
        return Hooks(on_text=self.text, on_wait=self.wait, on_pause=self.pause, on_traces_lost=self.warn)

    @contextlib.asynccontextmanager
    async def following(self, room: Watched, pos: int, branch: int, session_id: str) -> AsyncGenerator[None]:
        """Show the work of one tree's root for as long as the context lasts."""
        self._branch, self._session_id, self._pos = branch, session_id, pos
        self._branch_id = await room.find_branch(session_id)
        try:
            async with self._beside(room):
                yield
        finally:
            self._answered()

    @contextlib.asynccontextmanager
    async def telling_asks(self, room: Watched, session: str | None) -> AsyncGenerator[None]:
        """Tell of what a tree asks the person, and of nothing else, for as long as the context lasts."""
        if session is None:
            yield
            return
        self._session_id = await room.find_session(session)
        self._pos = await room.newest()
        async with self._beside(room):
            yield

    @contextlib.asynccontextmanager
    async def _beside(self, room: Watched) -> AsyncGenerator[None]:
        """Follow for as long as the context lasts; what has happened when it ends well is still told."""
        task = asyncio.create_task(self._follow(room), name="teller")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        newest = await room.newest()
        if self._pos < newest:
            await self._hear(room, until=newest)

    @property
    def branch_id(self) -> str:
        """Whose text is shown; empty before somebody is followed."""
        return self._branch_id

    def text(self, branch: int, piece: str) -> None:
        """A piece of an agent's answer."""
        if not self._shows or branch != self._branch:
            return
        self._answer += piece
        self._out.piece(self._pieces.add(piece))
        self._at_start = piece.endswith("\n")

    def wait(self, branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        """The provider is away; what was streamed of this try is void."""
        if branch == self._branch:
            self._answer = ""
        self._note(f"waiting {wait_s:.1f} s for the provider: {fault.code}")

    def pause(self, fault: StoreFault) -> None:
        """The store cannot be written. Said once, also where nobody watches: nothing moves until it can."""
        if self._paused_by != fault.code:
            self._paused_by = fault.code
            self.end_line()
            self._out.note(f"turns are paused: {fault}")

    def warn(self, warning: str) -> None:
        """Something beside the work goes wrong."""
        self.end_line()
        self._out.note(f"warning: {warning}")

    def end_line(self) -> None:
        """Begin a new line unless the cursor is at one."""
        if not self._at_start:
            self._out.piece("\n")
            self._at_start = True

    async def _follow(self, room: Watched) -> None:
        await self._asks.look(room, self._session_id)
        await self._hear(room)

    async def _hear(self, room: Watched, *, until: int | None = None) -> None:
        async for event in room.events(self._pos):
            landing, lines = await self._landing(room, event), await self._lines(room, event)
            # Not before what is read for it: a cancel up there leaves the event to the last look.
            self._pos = event.pos
            if landing:
                self._note(brief(landing, LANDED_CHARS))
            elif self._branch is not None:
                self._told(event)
            if event.session_id == self._session_id and (
                words := notice_words(event.kind, event.agent, event.facts)
            ):
                self._say(words)
            for line in lines:
                self._say(line)
            await self._asks.hear(room, self._session_id, event)
            if until is not None and event.pos >= until:
                return

    async def _lines(self, room: Watched, event: EventView) -> list[str]:
        """What the person is told in words of its own."""
        key = notice_key(event.kind, event.facts) if event.session_id == self._session_id else None
        return [] if key is None else (await room.notice(key)).splitlines()

    async def _landing(self, room: Watched, event: EventView) -> str:
        """A message that a reader of a bus gets; empty for everything else, and where nobody watches."""
        key = landed_key(event.kind, event.facts)
        if key is None or self._branch is None or not self._shows:
            return ""
        return landed_words(await room.landed(*key))

    def _told(self, event: EventView) -> None:
        if event.kind == EventKind.ANSWER_COMMITTED and event.branch_id == self._branch_id:
            self._answered()
        elif event.kind == EventKind.MESSAGE_ACCEPTED and event.facts.get("kind") in BETWEEN_AGENTS:
            self._note(f"{event.actor} → {event.to}: {event.facts['kind']}")
        elif event.kind == EventKind.MESSAGE_REFUSED:
            self._note(f"{event.agent} was refused: {event.facts.get('code')}")
        elif event.kind == EventKind.TURN_ENDED and event.facts.get("state") == "failed":
            self._note(f"{event.agent} failed")

    def _answered(self) -> None:
        if self._answer:
            self.last_text = self._answer
        self._answer = ""
        self._pieces = Pieces()
        self.end_line()

    def _note(self, text: str) -> None:
        if self._shows:
            self._say(text)

    def _say(self, text: str) -> None:
        """Said also where nobody watches the work: an ask keeps it from going on."""
        self.end_line()
        self._out.note(f"· {text}")
