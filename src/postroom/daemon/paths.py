"""Forks, reverts and summaries through the door."""

from typing import Final

from postroom.app import Postroom
from postroom.daemon.fields import LISTED, SESSION, Values, flag, number, text_of, words
from postroom.domain.plain import Json
from postroom.observe.looks import as_json
from postroom.observe.paths import place_rows

_MEANING: Final = "item number, turn id, message id, or BRANCH[:PLACE] of a part left"
PLACES: Final = (SESSION, number("limit", "places of each path", LISTED, least=1))
FORK: Final = (SESSION, words("to", _MEANING, required=False))
REVERT: Final = (
    SESSION,
    words("to", _MEANING),
    flag("keep_tasks", "tasks given there go on"),
    flag("dry_run", "only say it"),
)


async def places(room: Postroom, values: Values) -> Json:
    """The places that `to` can name."""
    return await room.store.read(place_rows, str(values["session"]), int(values["limit"]))


async def fork(room: Postroom, values: Values) -> Json:
    """Begin a session where an agent stood."""
    return as_json(await room.fork(str(values["session"]), text_of(values, "to")))


async def revert(room: Postroom, values: Values) -> Json:
    """Take an agent back."""
    return as_json(await room.revert(
        str(values["session"]), str(values["to"]), keep_tasks=bool(values["keep_tasks"]),
        dry_run=bool(values["dry_run"]),
    ))  # fmt: skip


async def compact(room: Postroom, values: Values) -> Json:
    """Have the beginning of a conversation summed up."""
    return as_json(await room.compact(str(values["session"])))
