"""Alerts of conversations that are not looked at outlive a load of the page, in every window alike."""

from playwright.async_api import Locator, Page, expect

from postroom.testing.clock import FakeClock
from postroom.testing.world import World
from tests.acceptance.asking import question
from tests.page.rig import Viewer, Visit

AWAY_S = 60.0


async def test_alerts_outlive_a_reload_and_are_the_same_in_every_window(world: World, visit: Visit) -> None:
    """KK-44: what one window puts away is away in the other one, and does not come back."""
    hidden, asks = world.puppet("hidden"), world.puppet("asks")
    await world.prompt("hidden", "The one behind")
    await world.prompt("asks", "The one that asks")
    viewer = await visit()
    await hidden.says("That is all.")
    await asks.starts(question("which one?"))
    await expect(await opened(viewer.page)).to_have_count(2)

    await viewer.page.reload()
    other = await window(viewer)
    for page in (viewer.page, other):
        shown = await opened(page)
        await expect(shown.filter(has_text="hidden: finished")).to_contain_text("The one behind")
        await expect(shown.filter(has_text="asks has a question")).to_have_count(1)
    await other.get_by_role("button", name="Put all away").click()

    for page in (viewer.page, other):
        await expect(alerts(page)).to_have_count(0)
        await page.reload()
        await expect(page.get_by_test_id("live")).to_have_text("● live")
        await expect(alerts(page)).to_have_count(0)
    (ask,) = await world.room.asks()
    await world.room.answer(ask.ask_id, "that one")
    await world.rest()


async def test_what_happens_while_no_window_is_open_is_told_by_the_next_one(
    world: World, visit: Visit
) -> None:
    """What was decided meanwhile is not; what one looks at raises nothing, whatever other windows do."""
    hidden, asks = world.puppet("hidden"), world.puppet("asks")
    await world.prompt("hidden", "The one behind")
    prompt = await world.prompt("asks", "The one that asks")
    viewer = await visit()
    await asks.starts(question("which one?"))
    await expect(await opened(viewer.page)).to_have_count(1)
    await viewer.page.goto("about:blank")
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(AWAY_S)
    (ask,) = await world.room.asks()
    await world.room.answer(ask.ask_id, "that one")
    await hidden.says("That is all.")
    await world.turn_end("hidden")

    await viewer.go("/tasks")
    shown = await opened(viewer.page)
    await expect(shown).to_have_count(1)
    await expect(shown).to_contain_text("hidden: finished")
    other = await window(viewer)
    await viewer.go(f"/agents/{prompt.session_id}")
    await viewer.live()
    await asks.says("That one it is.")
    await expect((await opened(viewer.page)).filter(has_text="asks: finished")).to_have_count(0)
    await expect((await opened(other)).filter(has_text="hidden: finished")).to_have_count(1)
    await world.rest()


async def window(viewer: Viewer) -> Page:
    """Another window of the same browser, at the tasks."""
    page = await viewer.context.new_page()
    await page.goto(f"{viewer.daemon.url}/tasks")
    await expect(page.get_by_test_id("live")).to_have_text("● live")
    return page


def alerts(page: Page) -> Locator:
    """What is folded out to see the alerts; there is none while there are no alerts."""
    return page.locator(".alerts")


async def opened(page: Page) -> Locator:
    """The alerts, folded out."""
    await expect(alerts(page)).to_have_count(1)
    await alerts(page).evaluate("one => { one.open = true; }")
    return page.get_by_role("list", name="Alerts").get_by_role("listitem")
