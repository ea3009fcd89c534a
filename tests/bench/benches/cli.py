"""The command line: wall time of a command against an interpreter that does nothing, in turn."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benches.report import Figure, median
from benches.world import make_root, make_workers
from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

BENCH = "command line (wall time)"
MOST = 8.0
AGENTS = 20
NOTHING = (sys.executable, "-c", "pass")
POSTROOM = str(Path(sys.executable).with_name("postroom"))


async def run(folder: Path, times: int) -> list[Figure]:
    """`postroom --help`, and `postroom ps` over a store with one tree."""
    store = SqliteStore.open(folder / "store", SystemClock(), SystemIds())
    await store.write(_settle)
    store.close()
    commands = {
        "postroom --help": (POSTROOM, "--help"),
        f"postroom ps, {AGENTS} agents": (POSTROOM, "ps", "--store", str(folder / "store")),
    }
    figures: list[Figure] = []
    for name, command in commands.items():
        figures += _measure(name, command, times)
    return figures


def _settle(tx: Tx) -> None:
    make_workers(tx, make_root(tx), AGENTS)


def _measure(name: str, command: Sequence[str], times: int) -> list[Figure]:
    pairs = [(_seconds(NOTHING), _seconds(command)) for _ in range(times + 1)][
        1:
    ]  # the first one loads files
    nothing_s, command_s = median([a for a, _ in pairs]), median([b for _, b in pairs])
    return [
        Figure(bench=BENCH, name=name, value=command_s / nothing_s, unit="python", most=MOST),
        Figure(bench=BENCH, name=name, value=command_s * 1000, unit="ms"),
        Figure(bench=BENCH, name="python -c pass beside it", value=nothing_s * 1000, unit="ms"),
    ]


def _seconds(command: Sequence[str]) -> float:
    began_s = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - began_s
