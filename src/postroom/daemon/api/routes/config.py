"""The settings that the daemon runs with."""

import asyncio

from fastapi import APIRouter

from postroom.config import Config, default_person_file
from postroom.daemon.api.guard import Read
from postroom.daemon.settings_shown import ConfigView, config_view

router = APIRouter(prefix="/config", tags=["config"])


@router.get("")
async def config(house: Read) -> ConfigView:
    """Every setting with its value and where it comes from. No key, and of no file with keys its place."""
    room = house.room
    held = room.config or Config(store=room.folder)
    return await asyncio.to_thread(config_view, held, room.environ, default_person_file())
