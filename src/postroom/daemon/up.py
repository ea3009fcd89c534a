"""A daemon: an open room with its door, its log, its HTTP server, and a file that says where it is."""

import contextlib
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from postroom.app import Postroom
from postroom.clock import SystemClock
from postroom.daemon.api.access import Caller
from postroom.daemon.api.house import House
from postroom.daemon.certificate import certificate_of
from postroom.daemon.commands import Command
from postroom.daemon.house_commands import house_commands
from postroom.daemon.keeper import OnFault, keep
from postroom.daemon.own_token import own_token
from postroom.daemon.presence import Presence, shown
from postroom.daemon.serving import served
from postroom.domain.token import Scope
from postroom.observe.logs import RoomLog
from postroom.profiles.daemon_settings import DaemonSettings


@contextlib.asynccontextmanager
async def up(
    room: Postroom,
    log: RoomLog,
    settings: DaemonSettings,
    *,
    on_fault: OnFault | None = None,
    page: Path | None = None,
) -> AsyncGenerator[House]:
    """Serve an open room for as long as the context lasts; leave before the room is closed.

    `page` is the folder of the built page. `on_fault` hears what no request should cause; without it, it
    is logged. Raises what `listening` raises, and `StoreReadOnly` or `StoreFull` when the store's folder
    cannot be written.
    """
    more: dict[str, Command] = {}
    started_us = SystemClock().now_us()
    async with (
        keep(room, log, more),
        served(room, settings, on_fault=on_fault or log.fault, started_us=started_us, page=page) as house,
    ):
        more |= house_commands(house)
        team = str(room.team.path) if room.team else ""
        here = Presence(
            pid=os.getpid(), url=house.url, started_us=started_us, team=team,
            certificate=certificate_of(settings),
        )  # fmt: skip
        with own_token(room.folder) as secret, shown(room.folder, here):
            house.access.give(secret, Caller(token_id="", name="this machine", scope=Scope.ADMIN))
            yield house
