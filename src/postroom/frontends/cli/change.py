"""The commands that change something: send, stop, cancel, resume, retry.

When a process runs the store, it does them; when none does, the store is opened for a moment and the
change is durable there, or, with `--run`, the store is run until nothing is left to do.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from postroom.daemon.wire import DoorClosed
from postroom.domain.plain import Json
from postroom.errors import StoreInUse
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, patient_door
from postroom.frontends.cli.words import counted, typed
from postroom.observe.glance import need_store

NOTHING_RUNS = "nothing is running"
UNREAD = f"{NOTHING_RUNS}, it will be read when a process opens this store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, and how its outcome is told."""

    command: str
    arguments: dict[str, Json]
    told: Callable[[dict[str, Json]], str]
    idle: str = NOTHING_RUNS
    """What is said when no process runs the store."""
    repeatable: bool = False
    """Doing it twice is doing it once."""
    agent: str | None = None
    """Whose answer `--run` prints."""


def send(asked: Asked, out: Output) -> int:
    """Write to an agent, now or later."""
    if asked.text_or_none("at") is not None:
        from postroom.frontends.cli.later import send_at  # noqa: PLC0415 - few texts wait

        return send_at(asked, out)
    return do_change(asked, out, Change(
        command="send", arguments=message_arguments(asked), repeatable=True, idle=UNREAD,
        agent=asked.text("to"),
        told=lambda found: f"accepted {found['message_id']} ({found['recipient_state']})",
    ))  # fmt: skip


def message_arguments(asked: Asked) -> dict[str, Json]:
    """What is written to whom, as the door takes it."""
    return {
        "to": asked.text("to"), "body": typed(asked.text("body")), "mode": asked.text("mode"),
        # Of our own if the caller has none: a door that closes before it answers may have accepted.
        "client_id": asked.text_or_none("client_id") or f"send-{os.urandom(12).hex()}",
    }  # fmt: skip


def stop(asked: Asked, out: Output) -> int:
    """Pause an agent and everything below it."""
    return do_change(asked, out, Change(
        command="stop", arguments={"session": asked.text("session")}, repeatable=True,
        told=_paused,
    ))  # fmt: skip


def _paused(found: dict[str, Json]) -> str:
    return f"paused {counted(found['paused'], 'agent')}" if found["paused"] else "paused already"


def cancel(asked: Asked, out: Output) -> int:
    """End an agent's turn or task."""
    return do_change(asked, out, Change(
        command="cancel", arguments={"session": asked.text("session")}, told=lambda _: "cancelled",
    ))  # fmt: skip


def resume(asked: Asked, out: Output) -> int:
    """Lift a pause, or go on."""
    return do_change(asked, out, Change(
        command="resume", arguments={"session": asked.text("session")}, agent=asked.text("session"),
        told=lambda found: "resumed" if found["resumed"] else "its turn waits already",
        idle=f"{NOTHING_RUNS}; it goes on when a process opens this store",
    ))  # fmt: skip


def retry(asked: Asked, out: Output) -> int:
    """Accept a message again that was set aside."""
    return do_change(asked, out, Change(
        command="retry", arguments={"message_id": asked.text("message")}, idle=UNREAD,
        told=lambda found: f"accepted {found['message_id']} ({found['recipient_state']})",
    ))  # fmt: skip


def do_change(asked: Asked, out: Output, change: Change) -> int:
    """Make one change and tell it.

    Through the door, else here. Others that change the store just now are waited for, one by one.
    """
    holder = ""
    while True:
        result = _through_door(asked, change)
        if result is not None:
            return _tell(out, change, result, running=True)
        try:
            return _change_here(asked, out, change)
        except StoreInUse as fault:
            if holder == fault.message:
                raise
            holder = fault.message


def _change_here(asked: Asked, out: Output, change: Change) -> int:
    config = config_of(asked)
    need_store(config.store)
    from postroom.frontends.cli.direct import change_and_run, change_idle  # noqa: PLC0415 - slow to load

    if asked.flag("run"):
        return change_and_run(asked, out, config, change)
    return _tell(out, change, change_idle(config, change), running=False)


def _through_door(asked: Asked, change: Change) -> dict[str, Json] | None:
    door = patient_door(config_of(asked).store)
    if door is None:
        return None
    with door:
        try:
            result = door.ask(change.command, change.arguments)
        except DoorClosed:
            if change.repeatable:
                return None
            raise
    return result if isinstance(result, dict) else {}


def _tell(out: Output, change: Change, result: dict[str, Json], *, running: bool) -> int:
    if out.as_json:
        out.document({**result, "running": running})
        return 0
    out.line(change.told(result) if running else f"{change.told(result)}; {change.idle}")
    return 0
