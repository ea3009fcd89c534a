"""What every test shares: examples that Hypothesis draws are the same on every machine and every day."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from postroom.testing.world import World

settings.register_profile(
    "postroom",
    derandomize=True,
    deadline=None,  # a shared machine stalls; a slow test is caught by the timeout of pytest
    suppress_health_check=[HealthCheck.too_slow],  # for the same reason
)
settings.load_profile("postroom")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A world over an empty folder; a scenario ends with its `check`."""
    made = World(tmp_path / "store")
    yield made
    await made.close()
