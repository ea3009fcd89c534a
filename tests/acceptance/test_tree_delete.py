"""Deleting a session, and giving agents names: what the person alone does."""

import sqlite3
from pathlib import Path

import pytest

from postroom.errors import NotFound, Refused
from postroom.observe.doctor import examine
from postroom.testing.script import call, say
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import accepted, code, family, idle_family, send

SECRET = "the combination is 4711"


async def test_a_session_with_a_turn_is_not_deleted(world: World) -> None:
    _, b = await idle_family(world, "b")

    with pytest.raises(Refused, match="not_idle"):
        await world.room.delete(world.handle("b"))
    await b.says("done")
    await world.turn_end("b")
    await world.room.delete(world.handle("b"))

    assert [v.profile for v in world.views()] == ["r"]
    await world.check()


async def test_a_deleted_session_reads_as_absent_to_everybody(world: World) -> None:
    root, b = await family(world, "b")
    b_id, handle = world.view("b").session_id, world.handle("b")
    await b.says("done")
    await root.says("waiting")
    await root.says("noted")
    await world.quiesce()

    gone = await world.room.delete(handle)
    await world.room.prompt("go on", session=world.view("r").session_id)
    by_id, by_handle = await root.does(send(b_id, "x"), send(handle, "x"))

    assert (gone.session_id, gone.agents) == (b_id, 1)
    assert (code(by_id), code(by_handle)) == ("unknown_session", "unknown_reference")
    for look in (world.room.history(b_id), world.room.send(handle, "x"), world.room.delete(b_id)):
        with pytest.raises(NotFound):
            await look
    assert world.events("session.deleted")[0].facts["agents"] == 1
    await world.check()


async def test_the_texts_of_a_deleted_session_are_gone_and_its_rows_stay(world: World) -> None:
    """G12: bodies, answers, arguments and results go, also from the search; the log still gives the rest."""

    async def act(_caller: Caller, _arguments: object) -> ToolResult:
        return ToolResult(text=f"result: {SECRET}")

    world.tool("look", act)
    world.agent(
        "r", say(f"calling: {SECRET}", call("look", where=SECRET)), say(f"answer: {SECRET}"), tools=("look",)
    )
    root_id = (await world.prompt("r", f"prompt: {SECRET}")).session_id
    await world.quiesce()
    before = len(await world.room.search("combination"))

    gone = await world.room.delete(root_id)

    assert before == 4
    assert (gone.messages, gone.nodes, gone.kept) == (1, 4, 0)
    assert await world.room.search("combination") == []
    assert holding(world.folder, SECRET) == []
    assert examine(world.folder).findings == ()
    await world.check()


async def test_what_it_wrote_to_others_stays_theirs(world: World) -> None:
    root, b = await family(world, "b")
    (receipt,) = await b.does(send(world.view("r").session_id, SECRET))
    await b.says("done")
    await root.says("waiting")
    await root.says("noted")
    await world.quiesce()

    await world.room.delete(world.handle("b"))
    await world.room.prompt("go on", session=world.view("r").session_id)

    assert accepted(receipt).message_id
    assert any(SECRET in text for text in texts(await root.asked()))
    await world.check()


async def test_what_a_fork_begins_with_stays_until_the_fork_is_deleted(world: World) -> None:
    """Nodes that other sessions build on stay; the last of them takes the texts along."""
    model = world.agent("r", *[say(f"answer: {SECRET}") for _ in range(8)])
    root_id = (await world.prompt("r", f"prompt: {SECRET}")).session_id
    await world.quiesce()
    one = await world.room.fork(root_id)
    two = await world.room.fork(one.session_id)
    await world.room.prompt("only here", session=root_id)
    await world.quiesce()

    first = await world.room.delete(root_id)
    await world.room.delete(one.session_id)
    await world.room.prompt("go on", session=two.session_id)
    await world.quiesce()
    asked = texts(model.requests[-1])
    still = holding(world.folder, SECRET)
    await world.room.delete(two.session_id)

    assert (first.nodes, first.kept) == (2, 2)
    assert asked == [f"prompt: {SECRET}", f"answer: {SECRET}", "go on"]
    assert still == ["message", "node", "session"]
    assert holding(world.folder, SECRET) == []
    await world.check()


async def test_an_agent_is_no_session_to_be_deleted(world: World) -> None:
    world.agent("r", say("hi"))
    root_id = (await world.prompt("r", "begin")).session_id
    await world.quiesce()
    await world.room.rename(root_id, "tax papers")

    with pytest.raises(NotFound, match="names an agent"):
        await world.room.delete("tax papers")
    await world.check()


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a:b",
        "a#b",
        "a/b",
        'a"b',
        "user",
        "NEW",
        "main",
        "b_1a2b3c4d",
        " a",
        "a\nb",
        "x" * 65,
        "\u202ea",
    ],
)
async def test_a_name_that_cannot_be_an_address_is_refused(world: World, name: str) -> None:
    world.agent("r", say("hi"))
    root_id = (await world.prompt("r", "begin")).session_id

    with pytest.raises(Refused, match="invalid_name"):
        await world.room.rename(root_id, name)
    await world.quiesce()
    await world.check()


async def test_the_person_finds_an_agent_by_the_name_that_it_was_given(world: World) -> None:
    world.agent("r", *[say("hi")] * 2)
    root_id = (await world.prompt("r", "begin")).session_id
    await world.quiesce()

    named = await world.room.rename(root_id, "tax papers")
    again = await world.room.rename("tax papers", "Steuern 2026")
    await world.room.send("Steuern 2026", "hello")
    await world.quiesce()

    assert (named.before, named.name, again.before) == ("main", "tax papers", "tax papers")
    assert [e.facts["source"] for e in world.events("branch.named")] == ["user", "user"]
    assert len(world.events("turn.ended")) == 2
    await world.check()


def holding(folder: Path, text: str) -> list[str]:
    """The tables of which a row still holds these words."""
    database = sqlite3.connect(f"file:{folder / 'postroom.db'}?mode=ro", uri=True)
    named = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%'")
    found = [str(name) for (name,) in named.fetchall()]
    rows = {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in found}  # noqa: S608
    database.close()
    return sorted(name for name in found if text in repr(rows[name]))
