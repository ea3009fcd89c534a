"""The child: plays one scenario on one folder. Exit codes: 0 done, 4 store in use, 1 any other fault."""

import argparse
import asyncio
import os
import sys
import threading
from pathlib import Path

from postroom.errors import Fault, StoreInUse
from postroom.testing.crash.journal import Journal
from postroom.testing.crash.scenario import load, run


def main() -> int:
    """Play the scenario that the first argument names on the store folder of the second."""
    parser = argparse.ArgumentParser(prog="python -m postroom.testing.crash")
    parser.add_argument("scenario", help="MODULE:FUNCTION")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    journal = Journal(options.folder)
    threading.Thread(target=_follow, args=(journal,), daemon=True).start()
    journal.note("life")
    scenario = load(options.scenario)(journal)
    try:
        asyncio.run(run(scenario, options.folder, journal))
    except Fault as fault:
        print(fault, file=sys.stderr)  # noqa: T201 - a program speaks
        return 4 if isinstance(fault, StoreInUse) else 1
    return 0


def _follow(journal: Journal) -> None:
    """The pipe to the parent: its word lets a scene go on, its end ends a child that nobody waits for.

    `os.read` and not `sys.stdin`, whose lock a thread must not hold while the interpreter ends.
    """
    while os.read(0, 1024):
        journal.may_go.set()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
