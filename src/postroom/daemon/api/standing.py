"""How a daemon stands: who it is, what it works on, and whether it is well."""

import os
from dataclasses import asdict, dataclass
from typing import cast

from postroom import __version__
from postroom.daemon.api.house import House
from postroom.daemon.protocol import PROTOCOL_VERSION
from postroom.domain.plain import Json
from postroom.observe.standing import Counts, standing_of

CLOSING = "engine_shutdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether work goes on; `ok` is false while the store cannot be written, and while the daemon ends."""

    ok: bool
    quiet: bool
    """Nothing runs now."""
    reason: str
    """The code of what is wrong; empty when all is well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The daemon and its store."""

    pid: int
    version: str
    protocol: int
    url: str
    store: str
    team: str
    """The folder of its team; empty without one."""
    teams: list[str]
    """The folders of all teams whose agents it has read."""
    started_us: int
    """Wall time in microseconds."""
    pos: int
    """The newest position of the log."""
    quiet: bool
    ok: bool
    reason: str
    """As in its health."""
    troubles: list[str]
    """What is wrong with servers of tools, hooks and the like, in sentences."""
    counts: Counts

    def as_json(self) -> dict[str, Json]:
        """The same as JSON."""
        return cast("dict[str, Json]", asdict(self))


def health(house: House) -> Health:
    """How it is; touches no store, so that it answers also where that cannot be read."""
    reason = CLOSING if house.life.is_closing else house.life.paused_by
    return Health(ok=not reason, quiet=house.room.is_quiet, reason=reason)


async def standing(house: House) -> Standing:
    """How it stands. Raises `StoreFault` when the store cannot be read."""
    room, now = house.room, health(house)
    pos, found = await room.store.read(standing_of)
    return Standing(
        pid=os.getpid(), version=__version__, protocol=PROTOCOL_VERSION, url=house.url,
        store=str(room.folder), team=str(room.team.path) if room.team else "",
        teams=[str(team.path) for team in room.staff.teams()], started_us=house.life.started_us,
        pos=pos, quiet=now.quiet, ok=now.ok, reason=now.reason, troubles=list(room.troubles()), counts=found,
    )  # fmt: skip
