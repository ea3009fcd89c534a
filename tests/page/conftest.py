"""A browser, and people at it."""

import contextlib
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from postroom.testing.world import World
from tests.page.rig import Visit, chromium, visits


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture
async def visit(browser: Browser, world: World) -> AsyncIterator[Visit]:
    """Lets a person come to the page of the world, each with a browser of their own.

    The first visit opens the world, so its agents must be named before. No page may have complained.
    """
    async with contextlib.AsyncExitStack() as stack:
        yield await stack.enter_async_context(visits(browser, world))
