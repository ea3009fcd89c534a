"""The frame of the page: whether it is live, what is open for the person, and what happens elsewhere."""

from playwright.async_api import Browser, expect

from postroom.profiles.daemon_settings import DaemonSettings
from postroom.testing.puppet import results_of
from postroom.testing.world import World
from tests.acceptance.asking import ASK_PARENT, question
from tests.acceptance.family import accepted, delegate, send
from tests.frontends.daemon import serving
from tests.page.rig import STATIC, Visit, log_in


async def test_an_ask_of_a_child_goes_from_both_pages_when_one_decides_it(world: World, visit: Visit) -> None:
    """O-23: the list is what is open, after a reload too, and leaves both sides without one."""
    root = world.puppet("r", delegates_to=("k",))
    child = world.puppet("k", rules=ASK_PARENT)
    prompt = await world.prompt("r", "Build it")
    await root.does(delegate("k"))
    one, other = await visit(), await visit()
    for viewer in (one, other):
        await viewer.go("/asks")
        await viewer.live()
    await child.starts(send(prompt.session_id, "may I?"))
    for viewer in (one, other):
        await expect(viewer.page.get_by_role("article")).to_contain_text("may I?")
        await expect(viewer.page).to_have_title("(1) Postroom · Asks")
    await other.page.reload()
    await expect(other.page.get_by_role("article")).to_contain_text("may I?")
    await one.page.keyboard.press("j")
    await one.page.keyboard.press("a")
    (result,) = results_of(await child.asked())

    assert accepted(result).mode == "steer"
    for viewer in (one, other):
        await expect(viewer.page.get_by_role("article")).to_have_count(0)
        await expect(viewer.page).to_have_title("Postroom · Asks")
    await world.rest()


async def test_a_page_says_that_it_is_not_live_and_then_shows_what_it_has_missed(
    world: World, browser: Browser
) -> None:
    """O-23, CK-33: a page that comes back goes on behind its last event."""
    root = world.puppet("r")
    await world.prompt("r", "Build it")
    await root.asked()
    room = await world.open()
    async with serving(room, page=STATIC) as daemon:
        viewer = await log_in(browser, daemon)
        await expect(viewer.page.get_by_role("listitem", name="r")).to_contain_text("asks its model")
        port = int(daemon.url.rpartition(":")[2])
    await expect(viewer.page.get_by_test_id("live")).to_contain_text("NOT live")
    await expect(viewer.page.get_by_test_id("live")).to_contain_text("the daemon was stopped")
    await root.starts(question("which one?", "blue", "green"))
    await world.event("ask.opened")
    async with serving(room, settings=DaemonSettings(port=port), page=STATIC):
        await viewer.back()
        await expect(viewer.page.get_by_role("listitem", name="r")).to_contain_text("has a question for you")
        await expect(viewer.page).to_have_title("(1) Postroom")
        await viewer.page.get_by_role("link", name="Asks 1 open").click()
        await viewer.page.get_by_role("button", name="green").click()
        (result,) = results_of(await root.asked())
        assert "green" in result.text
        await viewer.context.close()
    await world.rest()


async def test_an_alert_tells_of_a_conversation_that_is_not_looked_at(world: World, visit: Visit) -> None:
    """KK-44: that it needs the person, and that it has ended; what is looked at raises none."""
    seen, hidden = world.puppet("seen"), world.puppet("hidden")
    shown = await world.prompt("seen", "The one in view")
    await world.prompt("hidden", "The one behind")
    viewer = await visit()
    await viewer.go(f"/agents/{shown.session_id}")
    await viewer.live()
    told = viewer.page.get_by_role("region", name="Messages")

    await hidden.starts(question("which one?"))
    await expect(told).to_contain_text("hidden has a question")
    (ask,) = await world.room.asks()
    await world.room.answer(ask.ask_id, "that one")
    await expect(told).not_to_contain_text("hidden has a question")
    await seen.says("It is done.")
    await hidden.says("That one it is.")
    await expect(told).to_contain_text("hidden: finished")
    await viewer.page.get_by_text("Alerts").first.click()

    await expect(viewer.page.get_by_role("list", name="Alerts").get_by_role("listitem")).to_have_count(1)
    await expect(told).not_to_contain_text("seen: finished")
    await world.rest()


async def test_whoever_is_not_logged_in_is_told_how_to_come_in(world: World, visit: Visit) -> None:
    root = world.puppet("r")
    await world.prompt("r", "Build it")
    viewer = await visit()
    await viewer.context.clear_cookies()
    await viewer.page.reload()

    await expect(viewer.page.get_by_role("heading")).to_have_text("Not logged in")
    await expect(viewer.page.get_by_role("status")).to_contain_text("postroom open")
    viewer.complaints.clear()  # the browser's own words on each 401
    root.rests()
    await world.rest()
