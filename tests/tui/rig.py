"""The terminal user interface over a real daemon, on a screen that tests can read."""

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncGenerator, Callable
from difflib import ndiff
from pathlib import Path
from typing import Final

from textual.pilot import Pilot
from textual.widgets import Static

from postroom.frontends.tui.app import PostroomTerminal
from postroom.frontends.tui.client import Client
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, serving

PATIENCE_S: Final = 60
SIZE: Final = (80, 24)
SNAPSHOTS: Final = Path(__file__).parent / "snapshots"
_VARYING: Final = (
    (re.compile(r"terminal-\d+"), "terminal"),
    (re.compile(r"\d\d:\d\d:\d\d"), "00:00:00"),
    (re.compile(r"_[0-9a-f]{8}"), "_00000000"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{22}"), "0" * 36),
)
"""What differs from run to run: a name that the library makes up, times, ids and tails of handles."""
_ELSEWHERE: Final = re.compile(r"\n *(?:@font-face \{.*?\}|<!-- Generated [^\n]*-->)", re.DOTALL)
"""What the library adds that leads to other hosts: fonts, and where it comes from."""


class _Patient(PostroomTerminal):
    """What pops up stays, however slow the machine is."""

    NOTIFICATION_TIMEOUT = 3600


class Screen:
    """One terminal at work."""

    def __init__(self, app: PostroomTerminal, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let it work until something holds."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                await self.pilot.pause()

    async def live(self) -> None:
        """Until what it shows is live."""
        await self.until(lambda: "● live" in self.state)

    @property
    def state(self) -> str:
        """The first line."""
        return str(self.app.query_one("#state", Static).render())

    def rows(self) -> list[str]:
        """The rows of the talk, as text."""
        return [str(row.content) for row in self.app.query(".talk-row").results(Static)]

    def toasts(self) -> list[str]:
        """What pops up just now."""
        return [toast.message for toast in self.app._notifications]  # noqa: SLF001 -- the library has no other way

    def text(self) -> str:
        """Everything that is on the screen."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())  # noqa: SLF001 -- the library shows it in pictures only

    def drawn(self) -> str:
        """The screen as a picture that needs nothing from other hosts."""
        return _ELSEWHERE.sub("", self.app.export_screenshot(simplify=True))

    def picture(self) -> str:
        """The screen as a picture, without what differs from run to run."""
        drawn = self.drawn()
        for pattern, same in _VARYING:
            drawn = pattern.sub(same, drawn)
        return drawn


@contextlib.asynccontextmanager
async def terminal(daemon: Daemon, *, agent: str = "") -> AsyncGenerator[Screen]:
    """A terminal at a daemon, once it is live."""
    async with at(daemon.url, daemon.secret(), agent=agent) as screen:
        yield screen


@contextlib.asynccontextmanager
async def at(url: str, secret: str, *, agent: str = "") -> AsyncGenerator[Screen]:
    """The same with a token that one has."""
    async with _shown(Client(url, secret), agent) as screen:
        yield screen


@contextlib.asynccontextmanager
async def at_store(folder: Path, *, agent: str = "") -> AsyncGenerator[Screen]:
    """The same as `postroom tui` finds the daemon of a store."""
    async with _shown(Client.of_store(folder), agent) as screen:
        yield screen


@contextlib.asynccontextmanager
async def _shown(client: Client, agent: str) -> AsyncGenerator[Screen]:
    async with client:
        app = _Patient(client, agent=agent, back_off_s=(0.05,))
        async with app.run_test(size=SIZE) as pilot:
            screen = Screen(app, pilot)
            await screen.live()
            yield screen


@contextlib.asynccontextmanager
async def looked_at(world: World, *, agent: str = "") -> AsyncGenerator[Screen]:
    """A terminal at the daemon of an open world."""
    async with serving(await world.open()) as daemon, terminal(daemon, agent=agent) as screen:
        yield screen


def differences(name: str, picture: str) -> list[str]:
    """Where a picture is not the one that is kept; POSTROOM_SNAPSHOTS=keep keeps this one."""
    kept = SNAPSHOTS / f"{name}.svg"
    if os.environ.get("POSTROOM_SNAPSHOTS") == "keep":
        kept.write_text(picture, encoding="utf-8")
    before = _pieces(kept.read_text(encoding="utf-8")) if kept.exists() else []
    return [line for line in ndiff(before, _pieces(picture)) if not line.startswith("  ")]


def _pieces(picture: str) -> list[str]:
    """A picture is a few very long lines; its elements tell more."""
    return picture.replace("><", ">\n<").splitlines()
