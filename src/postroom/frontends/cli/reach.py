"""How a command reaches a store: through the door of the process that runs it, else directly."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from postroom.daemon.wire import ANSWER_S, DoorClosed, DoorSilent, socket_path
from postroom.domain.plain import Json
from postroom.errors import ConfigFault
from postroom.frontends.cli.parser import Asked
from postroom.observe.runner import is_run
from postroom.profiles.places import PERSON_FILE, config_folder, data_folder, path_of

PATIENCE_S: Final = 3.0
"""How long a writing command waits for the door of a process that starts or ends just now."""
PATH_BYTES_MAX: Final = 490
"""SQLite's limit is 512 bytes; the names of the database and of its journal are added."""
_STORE: Final = "POSTROOM_STORE"
_HARMLESS: Final = frozenset((_STORE, "POSTROOM_FAULT"))
STEP_S: Final = 0.05
LOOK_S: Final = 3.0
"""How long a command that only looks waits for the process before it looks for itself."""


if TYPE_CHECKING:
    from postroom.config import Config
    from postroom.daemon.client import DoorClient
    from postroom.observe.glance import Glance


def config_of(asked: Asked, typed: Mapping[str, str] | None = None) -> "Config":
    """The settings of this process, with more that was `typed`, by dotted key.

    Raises `ConfigFault`, also for a store that cannot lie there.
    """
    from postroom.config import read_config  # noqa: PLC0415 - most looks need no settings

    store = asked.text_or_none("store")
    words = {**(typed or {}), **({} if store is None else {"store": store})}
    config = read_config(environ=os.environ, command_line=words)
    _refuse_long(config.store)
    return config


def store_of(asked: Asked) -> Path:
    """The store's folder alone; the settings are read only when they may name one, or hold a slip."""
    typed = asked.text_or_none("store") or os.environ.get(_STORE)
    if any(name.startswith("POSTROOM_") and name not in _HARMLESS for name in os.environ):
        return config_of(asked).store
    if typed:
        folder = path_of(typed).absolute()
        _refuse_long(folder)
        return folder
    return config_of(asked).store if (config_folder() / PERSON_FILE).exists() else data_folder()


def _refuse_long(folder: Path) -> None:
    """SQLite itself would only say that it cannot open the file."""
    length = len(os.fsencode(folder))
    if length > PATH_BYTES_MAX:
        raise ConfigFault(
            f"the path of the store has {length} bytes, and SQLite takes {PATH_BYTES_MAX}",
            remedy="choose a shorter one with --store",
        )


def look(folder: Path, command: str, arguments: Mapping[str, Json], read: Callable[["Glance"], Json]) -> Json:
    """What the process that runs the store answers, else what `read` finds in the store itself."""
    with suppress(DoorClosed, DoorSilent):  # a process that ends or is frozen keeps nobody from looking
        door = door_of(folder, answer_s=LOOK_S)
        if door is not None:
            with door:
                return door.ask(command, arguments)
    from postroom.observe.glance import Glance  # noqa: PLC0415 - not where a process answers

    with Glance(folder) as glance:
        return read(glance)


def door_of(folder: Path, *, answer_s: float = ANSWER_S) -> "DoorClient | None":
    """The door of the process that runs the store; nothing when there is none. Raises `DoorSilent`."""
    if not os.path.exists(socket_path(folder)):  # noqa: PTH110 - `Path.exists` raises where one may not look
        return None
    from postroom.daemon.client import DoorClient  # noqa: PLC0415 - loads sockets

    return DoorClient.connect(folder, answer_s=answer_s)


def patient_door(folder: Path) -> "DoorClient | None":
    """The door of the process that runs the store; nothing when none does.

    A process that has just taken the store opens its door a moment later, and one that ends closes it
    a moment before, so a held store without a door is looked at again for a while.
    """
    for _ in looks(PATIENCE_S):
        door = door_of(folder)
        if door is not None or not is_run(folder):
            return door
    return None


def looks(for_s: float) -> Iterator[None]:
    """A look, and another one each `STEP_S` until the time is over: for what no signal tells of.

    Such as a file that another process makes, or a lock that it lets go.
    """
    deadline = time.monotonic() + for_s
    while True:
        yield
        if time.monotonic() > deadline:
            return
        time.sleep(STEP_S)


def status_of_daemon(folder: Path) -> dict[str, Json] | None:
    """What the daemon of a store says of itself; nothing when none runs, or another process runs it."""
    door = door_of(folder)
    if door is None:
        return None
    with door, suppress(DoorClosed):
        found = door.ask("status", {})
        return found if isinstance(found, dict) and "url" in found else None
    return None
