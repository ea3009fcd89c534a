"""A process of a scenario is never left behind, however its parent stops to wait for it."""

import asyncio
import signal
from pathlib import Path

import pytest

from postroom.observe.runner import is_run
from postroom.testing.clock import START_US
from postroom.testing.scenario import read_file
from postroom.testing.scenario.child import ChildStage
from postroom.testing.scenario.stage import Start

PATIENCE_S = 60.0
TEXT = """\
title: t
agents: {a: {script: [{text: hello}]}}
steps:
  - freeze:
"""


@pytest.fixture
def start(tmp_path: Path) -> Start:
    file = tmp_path / "t.yaml"
    file.write_text(TEXT, encoding="utf-8")
    (tmp_path / "work").mkdir()
    return Start(read=read_file(file), policy="tree", folder=tmp_path, now_us=START_US, open_gates=())


async def test_a_frozen_process_that_nobody_waits_for_any_more_is_killed(start: Start) -> None:
    async with asyncio.timeout(PATIENCE_S):
        stage = await ChildStage.open(start)
        stage.freeze()

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await stage.close()

        assert await stage.death() == -signal.SIGKILL


async def test_a_process_whose_opening_nobody_waits_for_is_killed(start: Start) -> None:
    async with asyncio.timeout(PATIENCE_S):
        opening = asyncio.create_task(ChildStage.open(start))
        while not is_run(start.folder / "store"):  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

        assert not is_run(start.folder / "store")
