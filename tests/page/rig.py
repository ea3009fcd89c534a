"""A real browser at the page of a real daemon."""

import contextlib
from collections.abc import AsyncGenerator, Mapping
from typing import Final, Protocol, TypeAlias

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    TimeoutError,  # noqa: A004 -- its name there
    async_playwright,
    expect,
)

from postroom.domain.token import Scope
from postroom.frontends.web import STATIC
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, serving

CHROMIUM: Final = "/usr/bin/chromium"
QUIET: Final = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""A container has no namespace for a sandbox, and nothing may be looked up elsewhere."""
PATIENCE_MS: Final = 60_000
CLICK_MS: Final = 2_000
RETRIED_MS: Final = 90_000
"""A page that has lost its daemon tries again by itself, every 15 seconds at last."""
expect.set_options(timeout=PATIENCE_MS)


Context: TypeAlias = str | bool | Mapping[str, int]
"""What Playwright takes for a new browser: a viewport, a colour scheme, a locale."""


class Visit(Protocol):
    """Comes to the page, as somebody new."""

    async def __call__(self, **context: Context) -> "Viewer":
        """A person whose page is live."""
        ...


class Viewer:
    """A person at a browser of their own, logged in. Everything the page complains about is kept."""

    def __init__(self, daemon: Daemon, context: BrowserContext, page: Page) -> None:
        self.daemon = daemon
        self.context = context
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    async def go(self, path: str) -> None:
        """To a view; its data is asked anew."""
        await self.page.goto(f"{self.daemon.url}{path}")

    async def live(self) -> None:
        """Until the page says that what it shows is live."""
        await expect(self.page.get_by_test_id("live")).to_have_text("● live", timeout=RETRIED_MS)

    async def back(self) -> None:
        """Until it is live again: by the button, unless the page was quicker and has tried by itself."""
        with contextlib.suppress(TimeoutError):
            await self.page.get_by_role("button", name="Try now").click(timeout=CLICK_MS)
        await self.live()


@contextlib.asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    """A headless browser for as long as the context lasts."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        try:
            yield browser
        finally:
            await browser.close()


@contextlib.asynccontextmanager
async def visits(browser: Browser, world: World) -> AsyncGenerator[Visit]:
    """Lets people come to the page of a world. Whatever one of them saw go wrong fails the test."""
    async with contextlib.AsyncExitStack() as stack:
        come: list[Viewer] = []
        served: list[Daemon] = []

        async def visit(**context: Context) -> Viewer:
            if not served:
                served.append(await stack.enter_async_context(serving(await world.open(), page=STATIC)))
            come.append(await log_in(browser, served[0], **context))
            return come[-1]

        yield visit
        for viewer in come:
            await viewer.context.close()
    assert [complaint for viewer in come for complaint in viewer.complaints] == []


async def log_in(browser: Browser, daemon: Daemon, **context: Context) -> Viewer:
    """A new person: own cookies, own storage, come by a link that is good once."""
    made = await browser.new_context(**context)  # pyright: ignore[reportArgumentType] -- whatever it takes
    viewer = Viewer(daemon, made, await made.new_page())
    made.set_default_timeout(PATIENCE_MS)
    code = daemon.house.access.links.make("a test", Scope.ADMIN)
    await viewer.page.goto(f"{daemon.url}/login?code={code}")
    await viewer.live()
    return viewer
