"""`daemon.json` in the store's folder: where the daemon of this store is, for those who look for it.

Only a hint: the lock of the store says whether a process runs it. A file that a killed daemon left is told
by that, or by another pid than the one that answers behind the door.
"""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from postroom import __version__
from postroom.daemon.protocol import PROTOCOL_VERSION
from postroom.daemon.told_file import told_file
from postroom.domain.plain import Json
from postroom.observe.runner import is_run

PRESENCE_NAME: Final = "daemon.json"
OUTPUT: Final = Path("logs") / "daemon.out"
"""What a daemon in the background prints, in the store's folder; its log lies beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A daemon as it tells of itself."""

    pid: int
    url: str
    started_us: int
    team: str = ""
    """The folder of its team; empty without one."""
    certificate: str = ""
    """The certificate that it shows, as PEM; empty where it speaks no TLS."""
    protocol: int = PROTOCOL_VERSION
    version: str = __version__

    def as_json(self) -> dict[str, Json]:
        """What the file holds."""
        return cast("dict[str, Json]", asdict(self))


def shown(folder: Path, presence: Presence) -> AbstractContextManager[None]:
    """Tell where the daemon is for as long as the context lasts. The caller owns the store.

    Raises `StoreReadOnly` or `StoreFull`.
    """
    return told_file(folder / PRESENCE_NAME, json.dumps(presence.as_json(), ensure_ascii=False) + "\n")


def found(folder: Path) -> Presence | None:
    """The daemon of a store; nothing when none runs, whatever a dead one has left."""
    return told(folder) if is_run(folder) else None


def told(folder: Path) -> Presence | None:
    """What the file says, whether or not it still holds; nothing when there is none that can be read."""
    try:
        said = cast("Json", json.loads((folder / PRESENCE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    if not isinstance(said, dict):
        return None
    pid, started_us, protocol = (said.get(key) for key in ("pid", "started_us", "protocol"))
    if not isinstance(pid, int) or not isinstance(started_us, int) or not isinstance(protocol, int):
        return None
    return Presence(
        pid=pid, url=str(said.get("url", "")), started_us=started_us, protocol=protocol,
        team=str(said.get("team", "")), certificate=str(said.get("certificate", "")),
        version=str(said.get("version", "")),
    )  # fmt: skip
