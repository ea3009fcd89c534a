"""Rows of transcripts, as tests look at them."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from postroom.domain.plain import Json
from postroom.observe.looks import as_json
from postroom.observe.transcript import transcript
from postroom.store.tx import Tx
from postroom.testing.world import World

Row: TypeAlias = Mapping[str, Json]


def rows_of(world: World, profile: str, nth: int = 1, **query: int) -> list[Row]:
    """Rows of an agent's transcript, as the API gives them."""
    return rows_in(world.room.store.look(page_of, world.view(profile, nth).branch_id, query))


def page_of(tx: Tx, agent: str, query: Mapping[str, int]) -> Json:
    """A page as JSON."""
    found = transcript(
        tx, agent, before=query.get("before"), after=query.get("after"), limit=query.get("limit", 60)
    )
    plain: Json = json.loads(json.dumps(as_json(found)))
    return plain


def rows_in(page: Json) -> list[Row]:
    """The rows of a page."""
    assert isinstance(page, dict)
    rows = page["rows"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def kinds(rows: Sequence[Row]) -> list[Json]:
    """The kinds of rows, in their order."""
    return [row["kind"] for row in rows]


def of(rows: Sequence[Row], kind: str, nth: int = 0) -> Row:
    """The n-th row of a kind."""
    return [row for row in rows if row["kind"] == kind][nth]


def parts(row: Row, name: str = "parts") -> list[dict[str, Json]]:
    """The list of a row: its parts, its calls, its recipients."""
    found = row[name]
    assert isinstance(found, list)
    return [one for one in found if isinstance(one, dict)]


def sender(part: Mapping[str, Json]) -> tuple[Json, Json]:
    """(whose, name) of the sender of a part."""
    found = part["sender"]
    assert isinstance(found, dict)
    return found["by"], found["name"]


def heading_of(world: World, profile: str) -> dict[str, Json]:
    """The head of an agent's transcript."""
    page = world.room.store.look(page_of, world.view(profile).branch_id, {})
    assert isinstance(page, dict)
    agent = page["agent"]
    assert isinstance(agent, dict)
    return agent
