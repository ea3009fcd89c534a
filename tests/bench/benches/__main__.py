"""`make bench`: run every bench, print the figures with their goals, write them as JSON.

The whole run takes some minutes; `--quick` takes less than one, with fewer samples and smaller stores.
A goal that is missed is marked and does not fail the run; with `--strict` it does.
"""

import argparse
import asyncio
import gc
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter

from benches import accept, boundary, cli, crowd, idle, memory, page, streams, wake
from benches.report import Figure, table, write_json

Bench = Callable[[Path], Awaitable[list[Figure]]]
FULL: dict[str, Bench] = {
    "accept": lambda folder: accept.run(
        folder, accept.Size(stored=(1_000, 100_000, 1_000_000), rounds=9, messages=6_400, singles=600)
    ),
    "wake": lambda folder: wake.run(folder, samples=500),
    "boundary": lambda folder: boundary.run(folder, rounds=500),
    "idle": lambda folder: idle.run(folder, idle_s=60),
    "crowd": lambda folder: crowd.run(folder, crowd.Size(children=200, finished=500), times=5),
    "memory": lambda folder: memory.run(folder, children=500),
    "streams": lambda folder: streams.run(folder, streams.Size(readers=1_000, load_s=8)),
    "page": lambda folder: page.run(folder, page.Size(sessions=1_000, nodes=10_000, times=5)),
    "cli": lambda folder: cli.run(folder, times=15),
}
QUICK: dict[str, Bench] = {
    "accept": lambda folder: accept.run(
        folder, accept.Size(stored=(1_000, 20_000), rounds=3, messages=3_200, singles=300)
    ),
    "wake": lambda folder: wake.run(folder, samples=100),
    "boundary": lambda folder: boundary.run(folder, rounds=100),
    "idle": lambda folder: idle.run(folder, idle_s=5),
    "crowd": lambda folder: crowd.run(folder, crowd.Size(children=100, finished=100), times=2),
    "memory": lambda folder: memory.run(folder, children=100),
    "streams": lambda folder: streams.run(folder, streams.Size(readers=200, load_s=2)),
    "page": lambda folder: page.run(folder, page.Size(sessions=200, nodes=2_000, times=3)),
    "cli": lambda folder: cli.run(folder, times=5),
}


def main() -> int:
    """Run what was asked for; the exit code."""
    options = _options()
    benches = QUICK if options.quick else FULL
    began_s = perf_counter()
    figures: list[Figure] = []
    for name in options.only or benches:
        measured = asyncio.run(_run(benches[name]))
        figures += measured
        sys.stdout.write(table(measured) + "\n")
        sys.stdout.flush()
    took_s = perf_counter() - began_s
    write_json(options.json, figures, quick=options.quick, took_s=took_s)
    missed = [figure for figure in figures if not figure.is_met]
    load = os.getloadavg()[1]
    sys.stdout.write(
        f"\n{took_s:.0f} s, {len(missed)} goals missed, written to {options.json};"
        f" load of the machine {load:.1f} on {os.cpu_count()} cores\n"
    )
    return 1 if missed and options.strict else 0


async def _run(bench: Bench) -> list[Figure]:
    gc.collect()  # what the bench before left is not this one's to clear away
    with tempfile.TemporaryDirectory(prefix="postroom-bench-") as folder:
        return await bench(Path(folder))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer samples, smaller stores")
    parser.add_argument("--strict", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--only", action="append", choices=tuple(FULL), help="this bench; may be repeated")
    parser.add_argument("--json", type=Path, default=Path("bench-results.json"), help="where the figures go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
