"""Forks and reverts through the door."""

from typing import Final

from postroom.app import Postroom
from postroom.daemon.person import SESSION, Values
from postroom.domain.plain import Json
from postroom.observe.looks import as_json
from postroom.observe.paths import place_rows
from postroom.surfaces.arguments import Field

_MEANING: Final = "item number, turn id, message id, or BRANCH[:PLACE] of a part left"
PLACES: Final = (
    SESSION,
    Field(
        name="limit", type="integer", description="places of each path", default=50, required=False, least=1
    ),
)
FORK: Final = (SESSION, Field(name="to", type="string", description=_MEANING, required=False, raw=True))
REVERT: Final = (
    SESSION,
    Field(name="to", type="string", description=_MEANING, raw=True),
    Field(
        name="keep_tasks", type="boolean", description="tasks given there go on", default=False,
        required=False,
    ),
    Field(name="dry_run", type="boolean", description="only say it", default=False, required=False),
)  # fmt: skip


async def places(room: Postroom, values: Values) -> Json:
    """The places that `to` can name."""
    return await room.store.read(place_rows, str(values["session"]), int(values["limit"]))


async def fork(room: Postroom, values: Values) -> Json:
    """Begin a session where an agent stood."""
    to = str(values["to"]) if "to" in values else None
    return as_json(await room.fork(str(values["session"]), to))


async def revert(room: Postroom, values: Values) -> Json:
    """Take an agent back."""
    return as_json(await room.revert(
        str(values["session"]), str(values["to"]), keep_tasks=bool(values["keep_tasks"]),
        dry_run=bool(values["dry_run"]),
    ))  # fmt: skip
