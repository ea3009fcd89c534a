"""`postroom down`: end the daemon of a store and wait until the store is free."""

import os
import signal
from pathlib import Path
from typing import Final

from postroom.daemon.presence import told
from postroom.daemon.wire import DoorClosed, Told, UnknownCommand
from postroom.errors import Fault, StoreInUse
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import looks, patient_door, store_of
from postroom.observe.runner import is_run, runner_of

END_S: Final = 60.0
"""How long a daemon may take to end: what was let in is answered, turns are written down."""


class StillEnding(Fault):
    """A daemon was told to end and still runs. It may be frozen; see its log."""

    code = "still_ending"
    retryable = True


def down(asked: Asked, out: Output) -> int:
    """End it; no error when none runs."""
    folder = store_of(asked)
    pid = runner_of(folder)
    if not is_run(folder):
        return _say(out, folder, pid=None)
    _ask(folder, pid)
    _await(folder, pid)
    return _say(out, folder, pid=pid)


def _say(out: Output, folder: Path, *, pid: int | None) -> int:
    if out.as_json:
        out.document({"ended": pid is not None, "pid": pid, "store": str(folder)})
    elif pid is None:
        out.note(f"no daemon runs the store {folder}")
    else:
        out.line(f"the daemon has ended (pid {pid}); the store is free")
    return DONE


def _ask(folder: Path, pid: int | None) -> None:
    """Through the door; a daemon that has lost its door is sent a signal. Raises `StoreInUse` for others."""
    door = patient_door(folder)
    if door is None:
        daemon = told(folder)
        if daemon is not None and daemon.pid == pid:
            os.kill(daemon.pid, signal.SIGTERM)
            return
        if is_run(folder):
            raise _no_daemon(pid)
        return
    with door:
        try:
            door.ask("shutdown", {})
        except DoorClosed:
            return  # it ends just now
        except Told as answer:
            if answer.failure.code != UnknownCommand.code:
                raise
            raise _no_daemon(pid) from answer


def _await(folder: Path, pid: int | None) -> None:
    for _ in looks(END_S):
        if not is_run(folder):
            return
    raise StillEnding(
        f"the daemon (pid {pid}) was told to end {END_S:.0f} s ago and still runs",
        remedy=f"see {folder / 'logs'}; nothing is lost if it is killed",
    )


def _no_daemon(pid: int | None) -> StoreInUse:
    return StoreInUse(
        f"the process that runs the store is no daemon (pid {pid})",
        remedy="it ends by itself; `postroom ps` shows what it does",
    )
