"""`postroom status`: whether a daemon runs, where it is, and what goes on in it."""

from pathlib import Path
from typing import TYPE_CHECKING

from postroom.domain.plain import Json
from postroom.frontends.cli.exits import DONE, TASK_FAILED
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import patient_door, store_of
from postroom.frontends.cli.texts import Row, text
from postroom.frontends.cli.times import shown_time
from postroom.frontends.cli.words import counted
from postroom.observe.runner import runner_of

if TYPE_CHECKING:
    from postroom.daemon.client import DoorClient


def status(asked: Asked, out: Output) -> int:
    """Say it; the exit code says whether all is well."""
    folder = store_of(asked)
    door = patient_door(folder)
    standing = None if door is None else _ask(door)
    is_daemon = standing is not None and "url" in standing
    if out.as_json:
        out.document({"running": is_daemon, "store": str(folder), **(standing or {"pid": runner_of(folder)})})
    elif standing is None or not is_daemon:
        out.line(_nobody(folder))
    else:
        for line in _lines(standing):
            out.line(line)
    return DONE if standing is not None and standing.get("ok") is True else TASK_FAILED


def _ask(door: "DoorClient") -> dict[str, Json] | None:
    with door:
        found = door.ask("status", {})
    return found if isinstance(found, dict) else None


def _nobody(folder: Path) -> str:
    pid = runner_of(folder)
    if pid is None:
        return f"no daemon runs the store {folder}"
    return f"a process runs the store {folder} that is no daemon (pid {pid})"


def _lines(standing: Row) -> list[str]:
    found = standing.get("counts")
    counts: Row = found if isinstance(found, dict) else {}
    agents = ", ".join(f"{text(counts, key)} {key}" for key in ("running", "waiting", "suspended", "paused"))
    since, who = shown_time(int(text(standing, "started_us"))), f"pid {text(standing, 'pid')}"
    return [
        f"daemon  {text(standing, 'url')} ({who}, postroom {text(standing, 'version')})",
        f"since   {since}",
        f"store   {text(standing, 'store')}",
        f"team    {text(standing, 'team') or 'none'}",
        f"agents  {agents}",
        f"mail    {counted(counts.get('unread'), 'message')} unread",
        f"asks    {text(counts, 'asks')} open",
        f"health  {text(standing, 'reason') or 'ok'}",
        *(f"warning {trouble}" for trouble in _texts(standing.get("troubles"))),
    ]


def _texts(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
