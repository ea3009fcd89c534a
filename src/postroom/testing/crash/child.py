"""The parent's hand on a child process that plays a scenario."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from postroom.testing.crash.journal import Journal
from postroom.testing.crash.scenario import Scenario

ENDS_WITHIN_S = 100.0
"""No scenario takes longer; one that does hangs, and its child is killed."""


@dataclass(slots=True)
class Child:
    """One life of a scenario. Give it to `ended`, or end it with `kill`."""

    process: subprocess.Popen[str]
    folder: Path
    said: list[str] = field(default_factory=list[str])
    """The signs that it has given, in order."""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def sign(self, wanted: str) -> None:
        """Wait for a sign; raises `AssertionError` when the child ends without it."""
        assert self.process.stdout is not None  # noqa: S101 -- start_child opened it
        while wanted not in self.said:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"no sign {wanted!r}, but {self.ended()}: {self.errors()}")
            self.said.append(line.strip())

    def go(self) -> None:
        """Let it go on that waits in `Journal.wait_for_go`."""
        assert self.process.stdin is not None  # noqa: S101 -- start_child opened it
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process.kill()
        self.process.wait(ENDS_WITHIN_S)
        self._read_rest()

    def freeze(self) -> None:
        """SIGSTOP."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def ended(self) -> int:
        """Wait for its end: an exit code, or minus the signal that it died of."""
        try:
            return self.process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the child hangs; signs {self.said}: {self.errors()}") from None
        finally:
            self._read_rest()

    def errors(self) -> str:
        """What it wrote to its standard error, which lies beside the store."""
        return _errors_of(self.folder).read_text(encoding="utf-8")

    def _read_rest(self) -> None:
        if self.process.stdout is not None and not self.process.stdout.closed:
            self.said += [line.strip() for line in self.process.stdout]
            self.process.stdout.close()
        if self.process.stdin is not None:
            self.process.stdin.close()


def _errors_of(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.stderr"


def start_child(build: Callable[[Journal], Scenario], folder: Path, *, fault: str = "") -> Child:
    """Start a life of the scenario in a session of its own; `fault` is `point` or `point:n`.

    `build` must be a function of a module, because the child imports it by name.
    """
    reference = f"{build.__module__}:{build.__qualname__}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    environment.pop("POSTROOM_FAULT", None)
    if fault:
        environment["POSTROOM_FAULT"] = fault
    with _errors_of(folder).open("a", encoding="utf-8") as errors:
        process = subprocess.Popen(  # noqa: S603 -- our own interpreter
            [sys.executable, "-m", "postroom.testing.crash", reference, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment,
            start_new_session=True,
        )  # fmt: skip
    return Child(process, folder)


def play(build: Callable[[Journal], Scenario], folder: Path, *, fault: str = "") -> int:
    """Play one life to its end: an exit code, or minus the signal that it died of."""
    return start_child(build, folder, fault=fault).ended()
