"""What several files of acceptance tests set up."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.mcp_rig import Rig


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """MCP servers to talk to; all of them end with the test."""
    made = Rig(tmp_path)
    await made.start()
    yield made
    await made.close()
