"""The doctor and the export, where conversations were forked and taken back."""

from pathlib import Path

import pytest

from postroom.observe.doctor import examine, repair
from postroom.observe.export import Ask, records
from postroom.observe.export_markdown import markdown
from postroom.observe.export_parts import Record
from postroom.observe.glance import Glance
from postroom.store.tx_export import ExportTx
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.damage import shown, sql

DAMAGES = {
    "a sealed branch belongs to nobody": (
        "branch", "UPDATE branch SET sealed_from_branch_id = NULL WHERE sealed_us IS NOT NULL",
    ),
    "a sealed branch has lost its end": (
        "branch", "UPDATE branch SET head_node_id = 1 WHERE sealed_us IS NOT NULL",
    ),
    "an agent stands where it stood before": ("branch", "UPDATE branch SET head_node_id = 4 WHERE id = 1"),
    "a context is as long as before": (
        "branch", "UPDATE branch SET context_chars = context_chars + 1 WHERE id = 1",
    ),
    "a fork begins elsewhere": ("branch", "UPDATE branch SET head_node_id = 1 WHERE session_id = 2"),
    "a reverted message is in the conversation": ("delivery", "UPDATE delivery SET reverted = 0"),
    "a message of the conversation is reverted": ("delivery", "UPDATE delivery SET reverted = 1"),
}  # fmt: skip


async def forked_store(world: World) -> Path:
    """A root that was taken back behind its second turn, went on, and was forked where it had stood."""
    world.agent("r", *[say(f"answer {n}") for n in range(8)])
    root_id = (await world.prompt("r", "first")).session_id
    for text in ("second", "third"):
        await world.quiesce()
        await world.room.prompt(text, session=root_id)
    await world.quiesce()
    done = await world.room.revert(root_id, "2")
    await world.room.fork(root_id, done.sealed_id)
    await world.room.prompt("other", session=root_id)
    await world.quiesce()
    await world.close()
    return world.folder


@pytest.mark.parametrize(("table", "statement"), DAMAGES.values(), ids=DAMAGES.keys())
async def test_what_a_revert_or_a_fork_wrote_is_mended_from_the_log(
    world: World, table: str, statement: str
) -> None:
    """G12"""
    folder = await forked_store(world)
    before = shown(folder)
    assert not examine(folder).findings

    sql(folder, statement)
    found = examine(folder)
    repair(folder)

    assert ("row_differs", table) in {(f.code, f.table) for f in found.findings}
    assert not examine(folder).findings
    assert shown(folder) == before


async def test_an_export_shows_what_goes_on_and_what_was_taken_back(world: World) -> None:
    """CK-38: the part left follows the conversation, numbered as it was; a fork shows all that it shares."""
    folder = await forked_store(world)

    found = _exported(folder)
    page = "".join(markdown(record) for record in found)
    roots = [str(r["session_id"]) for r in found if r["type"] == "session"]

    def of(kind: str, session: str) -> list[tuple[object, object]]:
        return [(r["n"], r["text"]) for r in found if r["type"] == kind and r["session_id"] == session]

    kept = [(1, "first"), (2, "answer 0")]
    left = [(3, "second"), (4, "answer 1"), (5, "third"), (6, "answer 2")]
    assert of("item", roots[0]) == [*kept, (3, "other"), (4, "answer 1")]
    assert of("left", roots[0]) == left
    assert of("item", roots[1]) == [*kept, *left]
    assert [r.get("forked_from") for r in found if r["type"] == "session"] == [None, roots[0]]
    assert (found[-1]["items"], found[-1]["left"]) == (10, 4)
    assert page.count("(in a part that was taken back)") == 4
    assert sum("reverted" in r for r in _exported(folder, full=True) if r["type"] == "message") == 2


def _exported(folder: Path, *, full: bool = False) -> list[Record]:
    with Glance(folder) as glance:
        return glance.read_as(ExportTx, lambda tx: list(records(tx, Ask(full=full))))
