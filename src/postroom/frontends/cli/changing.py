"""Makes a change where the store is: by the process that runs it, or here when none does.

In the second case the store is opened for a moment and the change is durable there, or, with `--run`, the
store is run until nothing is left to do.
"""

from postroom.daemon.wire import DoorClosed
from postroom.domain.plain import Json
from postroom.errors import StoreInUse
from postroom.frontends.cli.change import Change
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, patient_door
from postroom.observe.glance import need_store


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
    out.line(change.told(result) if running else change.told_idle(result))
    return 0
