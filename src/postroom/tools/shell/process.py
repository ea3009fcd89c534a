"""One command with all its children, from its start until none of them is left.

The command leads a process group of its own. One thread follows it: it reads the output, keeps the
time, hears when it should stop, and ends the group: SIGTERM, a short grace, SIGKILL. It needs no event
loop, so no loop that is busy or closing can leave a process behind.
"""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol, cast

from postroom.tools.shell.group import is_group_alive, signal_group

GRACE_S: Final = 2.0
"""Between SIGTERM and SIGKILL."""
LINGER_S: Final = 0.5
"""For what the command piped its output into, once the command itself has ended."""
DEATH_S: Final = 2.0
"""For SIGKILL to take effect; longer takes only what hangs in the kernel."""
_POLL_S: Final = 0.02
_CHUNK_BYTES: Final = 65_536
_REST_CHUNKS_MAX: Final = 16


class Why(Enum):
    """What ended a command."""

    ITSELF = "itself"  # it exited, or somebody else killed it
    TIME = "time"  # its time limit
    STOP = "stop"  # the agent was stopped, its call cancelled, or the room closed


class Sink(Protocol):
    """Takes what a command writes, in the thread that follows the command."""

    def take(self, data: bytes) -> None:
        """More of it, as it was written."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A program to run, and where, with what, and for how long."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    limit_s: float
    stdin: int = subprocess.DEVNULL
    """An open file that it reads; the caller closes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended. `code` is negative for a signal, `None` if it cannot even be killed."""

    why: Why
    code: int | None
    left_children: bool
    """It exited and left children running, which were ended then."""


class Command:
    """One run of one order. `run` blocks in a thread of its own; `stop` may come from anywhere.

    What it writes to its error stream comes among the output, unless `errors` takes it apart.
    """

    def __init__(self, order: Order, output: Sink, errors: Sink | None = None) -> None:
        self._order = order
        self._output = output
        self._errors = errors
        self._pipes: dict[int, Sink] = {}
        self._wake_read = self._wake_write = -1
        # Guards the writing end of the pipe: nobody may write to a number that is another file by then.
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes]
        self._selector: selectors.BaseSelector
        self._has_exited = self._must_stop = False

    def stop(self) -> None:
        """End the command and its children soon, or do not even start it. Idempotent."""
        self._must_stop = True
        self._poke()

    def run(self, on_start: Callable[[int], None]) -> Outcome:
        """Start, tell its process id, and come back when nothing of it is left.

        Raises `OSError` when it cannot be started.
        """
        self._open()
        try:
            if self._must_stop:
                return Outcome(why=Why.STOP, code=None, left_children=False)
            self._process = self._start()
            try:
                on_start(self._process.pid)
                return self._attend()
            except BaseException:
                self._signal(signal.SIGKILL)
                raise
        finally:
            self._close()

    def _attend(self) -> Outcome:
        with selectors.DefaultSelector() as self._selector, ExitStack() as held:
            for pipe, sink in ((self._process.stdout, self._output), (self._process.stderr, self._errors)):
                if pipe is not None and sink is not None:
                    self._attach(held.enter_context(pipe).fileno(), sink)
            self._selector.register(self._wake_read, selectors.EVENT_READ, self._wake_up)
            threading.Thread(target=self._await_exit, name="postroom-exit", daemon=True).start()
            return self._follow()

    def _attach(self, pipe: int, sink: Sink) -> None:
        os.set_blocking(pipe, False)
        self._pipes[pipe] = sink
        self._selector.register(pipe, selectors.EVENT_READ, lambda: self._hear(pipe))

    @property
    def _is_silent(self) -> bool:
        return not self._pipes

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 -- to run what it is given is what it is for
            self._order.argv, cwd=self._order.cwd, env=dict(self._order.env), stdin=self._order.stdin,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT if self._errors is None else subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def _follow(self) -> Outcome:
        self._listen(self._order.limit_s, lambda: self._has_exited or self._must_stop)
        why = Why.ITSELF if self._has_exited else Why.STOP if self._must_stop else Why.TIME
        if why is Why.ITSELF:
            self._listen(LINGER_S, lambda: self._is_silent)
        else:
            self._end_living()
        code = self._process.wait() if self._has_exited else None
        left_children = self._end_orphans(grace_s=GRACE_S if why is Why.ITSELF else 0.0)
        self._take_rest()
        return Outcome(why=why, code=code, left_children=left_children and why is Why.ITSELF)

    def _end_living(self) -> None:
        self._signal(signal.SIGTERM)
        self._listen(GRACE_S, lambda: self._has_exited and self._is_silent)
        # Also when the command has exited: its number is ours until it is waited for.
        self._signal(signal.SIGKILL)
        self._listen(DEATH_S, lambda: self._has_exited)

    def _end_orphans(self, *, grace_s: float) -> bool:
        """End what is left of the group; whether there was something.

        The command has been waited for, so the number of an empty group is free. It is asked for at once,
        and systems give a number away again only after all the others.
        """
        if not is_group_alive(self._process.pid):
            return False
        for sign, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, DEATH_S)):
            self._signal(sign)
            until_s = time.monotonic() + wait_s
            while time.monotonic() < until_s and is_group_alive(self._process.pid):
                self._listen(_POLL_S, lambda: False)
        return True

    def _signal(self, number: int) -> bool:
        return signal_group(self._process.pid, number)

    def _listen(self, wait_s: float, is_enough: Callable[[], bool]) -> None:
        """Take what comes until it is enough, or the time is over."""
        until_s = time.monotonic() + wait_s
        while not is_enough() and (left_s := until_s - time.monotonic()) > 0:
            for key, _ in self._selector.select(left_s):
                cast("Callable[[], None]", key.data)()

    def _take_rest(self) -> None:
        """What still lies in the pipe; more may be coming from a child that left the group."""
        for pipe in tuple(self._pipes):
            with suppress(BlockingIOError):
                for _ in range(_REST_CHUNKS_MAX):
                    if not self._hear(pipe):
                        break

    def _hear(self, pipe: int) -> bool:
        """Take one piece from a pipe; `False` once nobody can write to it any more."""
        if data := os.read(pipe, _CHUNK_BYTES):
            self._pipes[pipe].take(data)
            return True
        self._selector.unregister(pipe)
        del self._pipes[pipe]
        return False

    def _await_exit(self) -> None:
        """Hear of the exit without giving the process's number away, where the system can do that."""
        with suppress(ChildProcessError):
            if hasattr(os, "waitid"):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            else:
                self._process.wait()
        self._has_exited = True
        self._poke()

    def _poke(self) -> None:
        with self._lock:
            if self._wake_write >= 0:
                os.write(self._wake_write, b"!")

    def _wake_up(self) -> None:
        os.read(self._wake_read, 16)

    def _open(self) -> None:
        with self._lock:
            self._wake_read, self._wake_write = os.pipe()

    def _close(self) -> None:
        with self._lock:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read = self._wake_write = -1
