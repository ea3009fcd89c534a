"""The page: how much longer a browser works where there is much to show than where there is nothing.

A real headless Chromium at a real daemon, each time with nothing in its caches. The clock runs from the
beginning of the navigation until what was asked for is drawn, by the browser's own clock. Full and empty
are opened in turn, and what is drawn first after the start of the daemon counts for nothing.
"""

import gzip
import sys
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Browser

from benches.idle_room import Silent
from benches.page_stores import Long, add_long, add_many
from benches.report import Figure, median
from benches.world import PROFILE, team_of
from postroom.app import Postroom
from postroom.daemon.api.house import House
from postroom.daemon.serving import served
from postroom.domain.token import Scope
from postroom.frontends.web import STATIC, is_built
from postroom.profiles.daemon_settings import DaemonSettings
from tests.page.rig import CHROMIUM, chromium

BROWSER: Final = Path(CHROMIUM)
MOST_TEAM: Final = 3.0
MOST_SESSION: Final = 4.0
MOST_KB: Final = 400.0
WIDE: Final = 100_000
"""Limits of the daemon that no visit meets."""
EMPTY: Final = ".note-calm:not([role])"
"""There is nothing to show; with a role it would say that there is nothing yet."""
TEAM: Final = f".team-root, {EMPTY}"
GRAPH: Final = ".graph-thing"
TRANSCRIPT: Final = f".transcript-item, {EMPTY}"
WATCH: Final = """
new Promise((drawn) => {
  const look = () => {
    if (!document.querySelector(%r)) return false;
    requestAnimationFrame(() => setTimeout(() => drawn(performance.now())));
    return true;
  };
  if (!look()) {
    const watch = new MutationObserver(() => look() && watch.disconnect());
    watch.observe(document, { childList: true, subtree: true });
  }
})
"""
"""Resolves with the milliseconds since the navigation began, once the first fitting element is painted."""
LOADED: Final = 'performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname)'


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much there is to show, and how often each view is opened."""

    sessions: int
    nodes: int
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A view of a daemon, and what of it must be seen."""

    house: House
    path: str
    seen: str


async def run(folder: Path, size: Size) -> list[Figure]:
    """The team of many sessions, the graph and the transcript of a long one; and what the page weighs."""
    if not is_built():
        sys.stdout.write("\npage: not measured, because the page is not built (make page)\n")
        return []
    if not BROWSER.exists():
        sys.stdout.write(f"\npage: only its weight is measured, because there is no {BROWSER}\n")
        return [_weight("JavaScript and CSS, all of it", _assets(), MOST_KB)]
    async with AsyncExitStack() as stack:
        empty, full = [await _open(stack, folder / name) for name in ("empty", "full")]
        await full.room.store.write(add_many, size.sessions)
        long = await full.room.store.write(add_long, size.nodes)
        browser = await stack.enter_async_context(chromium())
        return await _measure(browser, size, _sights(empty, full, long, size))


async def _open(stack: AsyncExitStack, folder: Path) -> House:
    team = team_of(folder / "team", {PROFILE: ()})
    models = {f"scripted:{PROFILE}": Silent()}
    room = await stack.enter_async_context(
        Postroom.open(folder / "room", team=team, models=models, idle=True)
    )
    settings = DaemonSettings(port=0, requests_per_s=WIDE)
    return await stack.enter_async_context(served(room, settings, page=STATIC))


def _sights(empty: House, full: House, long: Long, size: Size) -> dict[str, tuple[Sight, Sight, float]]:
    """By name: the empty one, the full one, the goal of their ratio."""
    team = (
        Sight(house=empty, path="/", seen=TEAM),
        Sight(house=full, path="/", seen=TEAM),
        MOST_TEAM,
    )
    graph, transcript = (
        (
            Sight(house=full, path=path % long.empty, seen=seen),
            Sight(house=full, path=path % long.full, seen=seen),
            MOST_SESSION,
        )
        for path, seen in (("/sessions/%s/graph", GRAPH), ("/agents/%s", TRANSCRIPT))
    )
    return {
        f"team, {size.sessions:,} sessions": team,
        f"graph, {size.nodes:,} nodes": graph,
        f"transcript, {size.nodes:,} nodes": transcript,
    }


async def _measure(
    browser: Browser, size: Size, sights: Mapping[str, tuple[Sight, Sight, float]]
) -> list[Figure]:
    bench = "page (headless Chromium, median until it is drawn)"
    figures, start = list[Figure](), set[str]()
    for name, (empty, full, most) in sights.items():
        drawn: dict[Sight, list[float]] = {empty: [], full: []}
        for nth in range(size.times + 1):
            for sight, times_ms in drawn.items():
                took_ms, loaded = await _visit(browser, sight)
                if nth > 0:
                    times_ms.append(took_ms)
                start |= loaded if sight.seen == TEAM else set()
        empty_ms, full_ms = median(drawn[empty]), median(drawn[full])
        figures += [
            Figure(bench=bench, name=name, value=full_ms, unit="ms"),
            Figure(bench=bench, name="the same with nothing in it", value=empty_ms, unit="ms"),
            Figure(bench=bench, name="ratio of the two", value=full_ms / empty_ms, unit="times", most=most),
        ]
    needed = [path for path in _assets() if f"/assets/{path.name}" in start]
    return [
        *figures,
        _weight("JavaScript and CSS that the start needs", needed),
        _weight("JavaScript and CSS, all of it", _assets(), MOST_KB),
    ]


async def _visit(browser: Browser, sight: Sight) -> tuple[float, set[str]]:
    """How long until it was drawn, in milliseconds, and what was loaded for that."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    code = sight.house.access.links.make("bench", Scope.READ)
    await context.request.get(f"{sight.house.url}/login?code={code}")  # the cookie, and nothing to keep
    page = await context.new_page()
    await page.goto(f"{sight.house.url}{sight.path}", wait_until="commit")
    took_ms = await page.evaluate(WATCH % sight.seen)
    loaded = await page.evaluate(LOADED)
    await context.close()
    return float(took_ms), {str(path) for path in loaded}


def _assets() -> list[Path]:
    return [path for path in sorted((STATIC / "assets").iterdir()) if path.suffix in {".js", ".css"}]


def _weight(name: str, paths: Iterable[Path], most: float | None = None) -> Figure:
    n_bytes = sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in paths)
    return Figure(bench="page (gzipped)", name=name, value=n_bytes / 1000, unit="kB", most=most)
