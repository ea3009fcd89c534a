"""What every test shares: examples that Hypothesis draws are the same on every machine and every day."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from postroom.clock import Clock
from postroom.domain.policy import Policy
from postroom.ids import Ids
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.cli.cli import ANSWERS, THINKS, write_team

settings.register_profile(
    "postroom",
    derandomize=True,
    deadline=None,  # a shared machine stalls; a slow test is caught by the timeout of pytest
    suppress_health_check=[HealthCheck.too_slow],  # for the same reason
)
settings.load_profile("postroom")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's job in the background: its children
    signal.signal(signal.SIGINT, signal.default_int_handler)  # would not hear Ctrl-C either


@pytest.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[Worlds]:
    """Worlds with other rules or another clock than the usual ones."""
    made: list[World] = []

    def make(
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        retry_for_s: float = 0.0,
    ) -> World:
        folder = tmp_path / f"store-{len(made)}"
        made.append(World(folder, policy=policy, clock=clock, ids=ids, retry_for_s=retry_for_s))
        return made[-1]

    yield make
    for world in made:
        await world.close()


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A team folder with one agent, that answers at once."""
    return write_team(tmp_path / "team", {"ann": ANSWERS})


@pytest.fixture
def slow_team(tmp_path: Path) -> Path:
    """The same with one that thinks for longer than any test."""
    return write_team(tmp_path / "slow", {"ann": THINKS})


@pytest.fixture
def world(worlds: Worlds) -> World:
    """A world over an empty folder; a scenario ends with its `check`."""
    return worlds()
