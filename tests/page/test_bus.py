"""Agents that talk on the bus of a turn, as the page tells of it: while they do, and afterwards."""

from playwright.async_api import expect

from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.bus_team import after, after_event, assistant, look, make, post, workers
from tests.page.rig import Visit
from tests.page.rows import TALL, not_reloaded, rows, texts, watching

KEPT_CHARS = 2_000
MISSING_CHARS = 500
LONG = "x" * (KEPT_CHARS + MISSING_CHARS)


async def test_what_nobody_read_is_told_when_the_bus_closes(world: World, visit: Visit) -> None:
    """KK-42: on the record in the conversation and in the sentence to the person, both cut alike."""
    world.policy = ROSTER_POLICY
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    prompt = await world.prompt("assistant", "begin")
    await a.does(make("researcher", "work"))
    viewer = await watching(visit, prompt.session_id)

    await a.does(post("researcher#1", LONG))
    await a.says("over")
    report = rows(viewer.page, "bus closed")
    await expect(report).to_contain_text("1 not delivered")
    await expect(report).to_contain_text("One message between agents was not delivered:")
    await expect(report).to_contain_text("from assistant to researcher#1")
    await expect(report).to_contain_text(f"{MISSING_CHARS} more characters")
    assert await report.locator("pre").inner_text() == "x" * KEPT_CHARS
    await expect(rows(viewer.page, "mail sent")).to_contain_text("undelivered")
    await not_reloaded(viewer)
    await viewer.page.get_by_role("link", name="Notices").click()
    notice = viewer.page.get_by_role("listitem").filter(has_text="undelivered")
    await expect(notice).to_contain_text(f"({MISSING_CHARS} more characters)")
    said = await notice.get_by_text("One message between agents").inner_text()
    assert said.count("x") == KEPT_CHARS
    await world.rest()


async def a_talk(world: World) -> Puppet:
    """An assistant and two workers, one of whom tells everyone something; it has begun."""
    world.policy = ROSTER_POLICY
    a = assistant(world, "researcher")
    tell = [after(world, 2, post("everyone", "the answer is 42")), look(), say("I have told them.")]
    hear = [look(), after_event(world, "bus.posted", look()), say("I have heard it.")]
    workers(world, {"tell them": tell, "hear them": hear})
    await world.prompt("assistant", "Two at once.")
    await a.asked()
    return a


async def goes_on(world: World, a: Puppet) -> None:
    """Words of the person and of an agent come together, and thanks come when nobody reads them any more."""
    await a.does(make("researcher", "tell them"), make("researcher", "hear them"))
    await world.prompt("assistant", "be quick")
    await a.does(post("everyone", "a note"))
    await a.does(post("researcher#1", "Thank you!"))
    await a.says("All done.")


async def test_the_page_tells_the_same_live_and_when_it_is_opened_afterwards(
    world: World, visit: Visit
) -> None:
    """KK-47: the line in the card of who read it, the line of what nobody read, the mixed signature."""
    a = await a_talk(world)
    viewer = await watching(visit, world.view("assistant").session_id, viewport=TALL)

    await goes_on(world, a)
    mixed = viewer.page.locator('.transcript-row[data-words="mixed"]')
    await expect(mixed.locator("> header strong")).to_contain_text("You and agents")
    await expect(mixed.locator('[data-words="user"]')).to_contain_text("be quick")
    lost = rows(viewer.page, "bus closed")
    await expect(lost).to_contain_text("from assistant to researcher#1Thank you!")
    await expect(rows(viewer.page, "turn ✓ finished")).to_have_count(1)
    await not_reloaded(viewer)
    live = await texts(viewer.page)
    await viewer.page.reload()
    await expect(rows(viewer.page, "turn ✓ finished")).to_have_count(1)

    assert await texts(viewer.page) == live
    await viewer.go(f"/agents/{world.view('researcher', 2).branch_id}")
    heard = rows(viewer.page, "to everyone")
    await expect(heard).to_contain_text("the answer is 42")
    assert await heard.get_attribute("data-words") == "agent"
    await world.rest()
