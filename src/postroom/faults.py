"""Named crash points: where `make fault` kills the process. Inert unless a test arms one.

`POSTROOM_FAULT="point"` or `"point:n"` kills the process with SIGKILL when the point is reached
for the n-th time. Every transaction has two points of its own, `NAME.before` (everything is written,
nothing committed) and `NAME.after` (committed, nobody told); `POINTS` lists the others.
"""

import os
import signal
from collections.abc import Callable
from typing import TypeAlias

POINTS: dict[str, str] = {
    "ring.before": "a message is accepted and its sender told; the doorbell has not rung",
    "turn.before_model": "the boundary is committed; the model has not been asked",
    "turn.after_model": "the model has answered; nothing of it is committed",
    "turn.before_calls": "the answer is committed; none of its calls has begun",
    "calls.between": "one result of a batch is durable, the next is not",
    "end.before_ring": "a turn has ended; nobody was woken for what it left",
    "bus.taken": "what stands on a bus has its deliveries; nothing of it is committed",
    "recovery.between": "one cut turn is recovered, the next is not",
    "migrate.between": "one step of a migration has run and is not committed",
    "repair.between": "one repair has run, the next has not",
    "backup.copied": "the copy of a backup is whole; it does not have its name yet",
    "restore.copied": "the store of a backup is whole in its folder; the one that it replaces is untouched",
    "restore.aside": "the store that is replaced has a second name; its log is not removed yet",
    "restore.between": "nothing is left of the old store but its one file; the new one has no name yet",
}

Watcher: TypeAlias = Callable[[], None]
_armed: dict[str, int] = {}
_watchers: dict[str, list[Watcher]] = {}


def arm(spec: str) -> None:
    """Arm one point, `name` or `name:n`. Tests that cannot set the environment call this."""
    name, _, count = spec.partition(":")
    _armed[name] = int(count or 1)


def watch(point: str, watcher: Watcher) -> None:
    """Call this whenever the point is reached, in the thread that reaches it; what it raises is raised there.

    A scenario holds or fails commits so (`NAME.before`, `NAME.after` of a transaction).
    """
    _watchers.setdefault(point, []).append(watcher)


def unwatch(point: str, watcher: Watcher) -> None:
    """Call it no more."""
    if watcher in _watchers.get(point, ()):
        _watchers[point].remove(watcher)


def reach(point: str) -> None:
    """Die here if a test armed this point, call who watches it, else nothing."""
    for watcher in _watchers.get(point, ()) if _watchers else ():
        watcher()
    if not _armed or point not in _armed:
        return
    _armed[point] -= 1
    if _armed[point] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)


if _spec := os.environ.get("POSTROOM_FAULT"):
    arm(_spec)
