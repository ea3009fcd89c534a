"""Draw the pictures in docs/pictures anew: the page in a real browser, and the terminal.

Times are those of a clock that stands still; ids and the tails of handles differ from run to run, and with
them a few points of each picture. Run by `make screenshots` from the root of the project.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

from playwright.async_api import Browser, Page, expect

from postroom.domain.token import Scope
from postroom.frontends.web import STATIC, is_built
from scripts.pictured_team import PicturedTeam
from scripts.small_png import small
from tests.frontends.daemon import Daemon, serving
from tests.page.rig import CHROMIUM, chromium
from tests.tui.rig import Screen, terminal

PICTURES: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH: Final = 1280
HEIGHT: Final = 800
TERMINAL: Final = (
    ("f1", "team", "planner"),
    ("f2", "talk", "writer_"),
    ("f3", "mail", "consumed"),
    ("f4", "asks", "approval"),
)
"""Keys, names of the pictures, and what is seen when the view is filled."""
SCHEMES: Final[tuple[tuple[Literal["light", "dark"], str], ...]] = (
    ("light", "{}.png"),
    ("dark", "{}-dark.png"),
)


async def main(folder: Path) -> None:
    """All of them."""
    PICTURES.mkdir(exist_ok=True)
    team = PicturedTeam(folder)
    await team.world.open()
    await team.works()
    async with serving(team.world.room, page=STATIC) as daemon, chromium() as browser:
        await _page(browser, daemon, team)
        async with terminal(daemon, agent=team.world.handle("writer")) as screen:
            await _terminal(screen)
    await team.world.close()


async def _page(browser: Browser, daemon: Daemon, team: PicturedTeam) -> None:
    async with _looking(browser, daemon, team) as page:
        await _show(page, daemon, f"/agents/{team.world.handle('writer')}")
        await team.writes()
        await page.clock.set_fixed_time(team.clock.now_us() / 1_000_000)
        await expect(page.get_by_text("is obeyed twice")).to_be_visible()
        await _draw(page, "transcript")
        for name, path in _paths(team).items():
            await _show(page, daemon, path)
            await _draw(page, name)


def _paths(team: PicturedTeam) -> dict[str, str]:
    world = team.world
    return {
        "team": "/",
        "graph": f"/sessions/{world.view('architect').session_id}/graph",
        "mail": "/mail",
        "asks": "/asks",
        "why": f"/why/{_a_message(team)}",
    }


def _a_message(team: PicturedTeam) -> str:
    """What the planner answered to the writer's question."""
    return team.world.events("message.accepted", agent="writer")[-2].message_id


@asynccontextmanager
async def _looking(browser: Browser, daemon: Daemon, team: PicturedTeam) -> AsyncGenerator[Page]:
    """A browser of somebody who is logged in, whose clock stands where the team's does."""
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB", timezone_id="UTC",
        reduced_motion="reduce",
    )  # fmt: skip
    page = await context.new_page()
    await page.clock.set_fixed_time(team.clock.now_us() / 1_000_000)
    code = daemon.house.access.links.make("a picture", Scope.ADMIN)
    await page.goto(f"{daemon.url}/login?code={code}")
    yield page
    await context.close()


async def _show(page: Page, daemon: Daemon, path: str) -> None:
    await page.goto(f"{daemon.url}{path}")
    await expect(page.get_by_test_id("live")).to_have_text("● live")
    await expect(page.locator("main [role=status].note")).to_have_count(0)
    await page.evaluate("document.fonts.ready.then(() => null)")


async def _draw(page: Page, name: str) -> None:
    for scheme, file in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        drawn = await page.screenshot(animations="disabled", caret="hide")
        (PICTURES / file.format(name)).write_bytes(small(drawn))


async def _terminal(screen: Screen) -> None:
    for key, name, seen in TERMINAL:
        await screen.pilot.press(key)
        await screen.until(lambda seen=seen: seen in screen.text())
        (PICTURES / f"terminal-{name}.svg").write_text(screen.drawn(), encoding="utf-8")


if __name__ == "__main__":
    if not is_built() or not Path(CHROMIUM).exists():
        sys.exit(f"There are no pictures without the page (make page) and {CHROMIUM}.")
    with tempfile.TemporaryDirectory(prefix="handbook-") as folder:
        asyncio.run(main(Path(folder)))
