"""Ten thousand idle agents: how fast a room opens over them, what it weighs, what it costs to wait.

The room is opened by a process of its own (`python -m benches.idle_room`), so that its memory and its
processor time are its own too.
"""

import asyncio
import json
import sys
from pathlib import Path

from benches.history import NODES_OF_TASK, add_history
from benches.report import Figure
from benches.world import make_root, make_workers, start_turns
from postroom.clock import SystemClock
from postroom.domain.turn import TurnState
from postroom.ids import SystemIds
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

AGENTS = 10_000
BENCH = f"{AGENTS:,} idle agents (one process)"
TREE = 100
"""Agents of one tree: each wrote to nobody yet, and has read and answered one mail."""
MOST_OPEN_S = 2.0
MOST_RSS_MB = 150.0
MOST_SHARE = 0.001


async def run(folder: Path, idle_s: float) -> list[Figure]:
    """Make the agents, then let another process open the room and wait."""
    store = SqliteStore.open(folder, SystemClock(), SystemIds())
    for _ in range(AGENTS // TREE):
        await store.write(_settle)
    store.close()
    seen = await _watch(folder, idle_s)
    return [
        _figure("open the room", seen["open_s"], "s", MOST_OPEN_S),
        _figure("processor time of the imports before that", seen["import_s"], "s"),
        _figure("memory (RSS) after opening", seen["rss_mb"], "MB", MOST_RSS_MB),
        _figure(f"share of one core while idle for {idle_s:.0f} s", seen["share"], "of it", MOST_SHARE),
    ]


def _figure(name: str, value: float, unit: str, most: float | None = None) -> Figure:
    return Figure(bench=BENCH, name=name, value=value, unit=unit, most=most)


async def _watch(folder: Path, idle_s: float) -> dict[str, float]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benches.idle_room", str(folder), str(idle_s), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(out)


def _settle(tx: Tx) -> None:
    """One tree; each of its agents has had a turn of one round."""
    root = make_root(tx)
    workers = make_workers(tx, root, TREE)
    start_turns(tx, root, workers)
    for number, worker in enumerate(workers):
        add_history(tx, root, workers[number - 1], worker, NODES_OF_TASK)
        assert worker.turn is not None
        row = tx.turn_row(worker.turn.key)
        assert row is not None
        tx.end_turn(row, TurnState.FINISHED, "answered")
