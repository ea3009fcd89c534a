"""A process that holds a store, in the hand of a test."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

HOLD = """
import asyncio, sys, pathlib
from postroom.clock import SystemClock
from postroom.errors import Fault
from postroom.ids import SystemIds
from postroom.store.sqlite import SqliteStore
from tests.conformance.records import a_session, note

async def serve(store):
    session = await store.write(a_session)
    print("holds", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(await store.write(note, session, line.strip()), flush=True)

try:
    store = SqliteStore.open(pathlib.Path(sys.argv[1]), SystemClock(), SystemIds())
except Fault as fault:
    print(fault.code, flush=True)
else:
    asyncio.run(serve(store))
    store.close()
"""
ROOT = Path(__file__).resolve().parents[2]


class Holder:
    """Opens the store, says `holds` or the code of a fault, and writes every line that it is told."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def hears(self) -> str:
        """The next line that it says."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, text: str) -> None:
        """Have it write a note."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """SIGSTOP, and wait until it stands still."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def thaw(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)
