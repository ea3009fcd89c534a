"""A room with its door open, and callers of a daemon."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.door import open_door
from postroom.testing.world import World
from tests.frontends.api import Reach
from tests.frontends.visitor import Visitor


@pytest.fixture
async def room(tmp_path: Path, team: Path) -> AsyncIterator[Postroom]:
    async with Postroom.open(tmp_path / "store", team=team) as room, open_door(room):
        yield room


@pytest.fixture
async def visitor(room: Postroom) -> AsyncIterator[Visitor]:
    visitor = await Visitor.come(room.folder)
    yield visitor
    await visitor.leave()


@pytest.fixture
async def reach(world: World) -> AsyncIterator[Reach]:
    """Callers of a daemon over the world of the test."""
    async with contextlib.AsyncExitStack() as stack:
        yield Reach(world, stack)
