"""What every process keeps open while it runs a store for a person: the control door and the log."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator

from postroom.app import Postroom
from postroom.daemon.door import MoreCommands, OnFault, open_door
from postroom.observe.logs import RoomLog

__all__ = ["OnFault", "keep"]


@contextlib.asynccontextmanager
async def keep(room: Postroom, log: RoomLog, more: MoreCommands | None = None) -> AsyncGenerator[None]:
    """Open the door and follow the log for as long as the context lasts.

    The log stays open for what the room tells while it closes.
    `more`: what can be asked through the door beside what every room can be asked.
    """
    log.write(logging.INFO, "process.opened", pid=os.getpid(), pos=room.opened_pos)
    log.pos = room.opened_pos
    following = asyncio.create_task(log.follow(room.store), name="log")
    try:
        async with open_door(room, on_fault=log.fault, more=more):
            log.write(logging.INFO, "door.opened")
            yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await log.catch_up(room.store)
        log.write(logging.INFO, "process.closing", pid=os.getpid())
