"""A search misses nothing that was committed, and shows where it stands."""

import asyncio
from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.errors import Refused
from postroom.testing.script import call, say
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import family, send


async def _look(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="The cellar is full of turnips.")


async def test_mail_answers_and_results_are_found_with_who_wrote_them(world: World) -> None:
    world.tool("look", _look)
    world.agent("r", call("look"), say("I saw turnips below."), tools=["look"])
    prompt = await world.prompt("r", "Any TURNIPS in the cellar?")
    await world.quiesce()

    hits = await world.room.search("turnips")

    assert {(hit.where, hit.who) for hit in hits} == {("mail", "user"), ("answer", "r"), ("result", "r")}
    assert {hit.session_id for hit in hits} == {prompt.session_id}
    assert all("turnips" in hit.excerpt.lower() for hit in hits)
    await world.check()


async def test_mail_between_agents_is_found_at_its_reader_and_a_receipt_is_not(world: World) -> None:
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "bring the ladder"))
    await b.asked()

    hits = await world.room.search("ladder")
    receipts = await world.room.search("message_id")

    assert [(hit.where, hit.session_id, hit.who) for hit in hits] == [
        ("mail", world.view("b").session_id, "r")
    ]
    assert receipts == []
    await world.check()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("quick fox", True),
        ("fox quick", True),
        ('"quick brown"', True),
        ('"brown quick"', False),
        ("qui*", True),
        ("qui", False),
        ("CAFÉ", True),
        ("cafe", True),
        ("fox AND wolf", False),
        ("fox OR", False),
        ("it's", True),
        ("a-b", True),
        ('"', None),
        ("* ( ) :", None),
        ("", None),
        ("col:fox", False),
        ("fox\0brown", False),
    ],
)
async def test_words_phrases_and_beginnings(world: World, words: str, found: bool | None) -> None:
    world.agent("r", say("ok"))
    await world.prompt("r", "The quick brown fox and a-b drink it's café.")
    await world.quiesce()

    if found is None:
        with pytest.raises(Refused, match="invalid_query"):
            await world.room.search(words)
    else:
        assert bool(await world.room.search(words)) is found
    await world.check()


async def test_a_search_of_one_tree_shows_nothing_of_another(world: World) -> None:
    world.agent("r", *[say("ok")] * 4)
    first = await world.prompt_new("r", "apples here")
    await world.prompt_new("r", "apples there")
    await world.quiesce()

    everywhere = await world.room.search("apples")
    here = await world.room.search("apples", session=first.session_id)

    assert len(everywhere) == 2
    assert [hit.session_id for hit in here] == [first.session_id]
    await world.check()


async def test_what_was_written_before_a_crash_is_found_once_after_it(world: World) -> None:
    world.agent("r", *[say("ok")] * 400)
    await world.prompt("r", "needle 0")
    await asyncio.gather(*(world.room.send(world.view("r").session_id, f"needle {n}") for n in range(1, 300)))
    await world.room.office.index_words()
    await world.crash()
    await world.open()
    await world.quiesce()

    hits = await world.room.search("needle", limit=1_000)

    assert len({hit.id for hit in hits}) == len(hits) == 300
    await world.check()


async def test_a_long_text_is_cut_around_the_word(world: World) -> None:
    world.agent("r", say("ok"))
    await world.prompt("r", f"{'hay ' * 5_000}Nadel {'straw ' * 5_000}")
    await world.quiesce()

    [hit] = await world.room.search("nadel")

    assert "hay Nadel straw" in hit.excerpt
    assert len(hit.excerpt) < 200
    assert hit.excerpt.startswith("…")
    assert hit.excerpt.endswith("…")
    await world.check()


async def test_a_room_that_nobody_uses_catches_up_by_itself(world: World) -> None:
    world.agent("r", say("ok"))
    await world.prompt("r", "catch up")
    await world.quiesce()
    await world.close()
    await world.open()

    is_behind = world.room.store.look(lambda tx: len(tx.found_words("catch", 10, 0)))

    assert is_behind == 1
    await world.check()
