"""Items that several texts share: the same bytes for ever, and in every other place where a text is used."""

from postroom.domain.plain import Json
from postroom.testing.puppet import Puppet
from postroom.testing.script import say
from postroom.testing.world import World, texts
from tests.acceptance.bus_team import assistant, look, post, roster_world
from tests.acceptance.family import Worlds
from tests.acceptance.test_compaction import SUMMARY, long, scribe

MIXED = "be quick\n\n> please\n\n[message from assistant] a note\n> of two lines"
SHOWN = MIXED.replace("\n> please", "\n\u203a please")


async def mixed(world: World, a: Puppet) -> str:
    """A turn in which words of the person and of an agent come together; its session."""
    session = (await world.prompt("assistant", "begin")).session_id
    await a.asked()
    await world.prompt("assistant", "be quick\n\n> please")
    await a.does(post("everyone", "a note\nof two lines"))
    await a.says("noted")
    await world.quiesce()
    return session


async def test_an_item_that_several_texts_share_is_the_same_after_a_restart_and_in_a_fork(
    worlds: Worlds,
) -> None:
    """KK-36, I2: the parts come back from their messages, and are shown as they were."""
    world = roster_world(worlds)
    a = assistant(world)
    session = await mixed(world, a)
    before = texts(world.requests("assistant")[-1])
    await world.reopen()
    await world.prompt("assistant", "go on")
    after = texts(await a.asked())
    await a.says("well")
    await world.quiesce()
    fork = await world.room.fork(session)
    await world.room.prompt("here too", session=fork.session_id)
    forked = texts(await a.asked())

    assert before[-1] == SHOWN
    assert after[: len(before)] == before
    assert forked[: len(before)] == before
    await world.check()


async def test_people_see_and_find_each_part_as_whose_it_is(worlds: Worlds) -> None:
    """KK-21, KK-48: the history says that it is mixed, and a search finds both."""
    world = roster_world(worlds)
    a = assistant(world)
    session = await mixed(world, a)

    history = await world.room.history(session)
    [item] = [item for item in history if item.provenance == "mixed"]
    assert (item.role, item.text) == ("user", SHOWN)
    found: dict[str, Json] = {hit.who: hit.where for hit in await world.room.search("note lines")}
    assert found["assistant"] == "mail"
    assert [hit.who for hit in await world.room.search("quick please")] == ["user"]
    await world.check()


async def test_a_summary_is_told_of_each_part_who_said_it(worlds: Worlds) -> None:
    """G10: nobody's wish becomes the person's by standing in one item with it."""
    world = roster_world(worlds)
    a = assistant(world)
    model = scribe(world, say("They were quick."))
    session = await mixed(world, a)
    for name in ("one", "two", "three"):
        await world.prompt("assistant", long(name))
        await a.says("done")
        await world.quiesce()

    await world.room.compact(session)

    [asked] = model.requests
    assert '{"by": "user", "kind": "user", "text": "be quick\\n\\n\\u003e please"}' in asked.items[0].text
    assert '{"by": "agent assistant", "kind": "mail", "text": "a note\\nof two lines"}' in asked.items[0].text
    await world.prompt("assistant", "go on")
    assert texts(await a.asked())[0].startswith(SUMMARY)
    await world.check()


async def test_texts_of_the_person_that_came_together_are_a_turn_of_theirs(worlds: Worlds) -> None:
    """KK-48, KK-21: two of theirs in one item carry no tag, and neither is lost."""
    world = roster_world(worlds)
    a = assistant(world)
    session = (await world.prompt("assistant", "begin")).session_id
    await a.asked()
    await world.prompt("assistant", "first wish")
    await world.prompt("assistant", "second wish")
    await a.does(look())
    await a.says("done")
    await world.quiesce()

    [item] = [item for item in await world.room.history(session) if "first wish" in item.text]
    assert (item.provenance, item.text) == ("user", "first wish\n\nsecond wish")
    await world.check()
