"""Whoever works by keyboard stays where they are: no deed takes the focus away with what it has removed."""

from typing import Final

from playwright.async_api import Page, expect

from postroom.errors import ModelFault
from postroom.testing.world import World
from tests.acceptance.asking import question
from tests.page.rig import Visit

HOLDS: Final = """() => {
    const at = document.activeElement;
    return at !== null && at !== document.body && at.matches(":focus") && !at.matches(":disabled");
}"""


async def test_the_focus_outlives_what_a_deed_has_removed_or_switched_off(world: World, visit: Visit) -> None:
    """The next key goes to what was around it, and decides nothing by chance."""
    root, other = world.puppet("r"), world.puppet("o")
    await world.prompt("r", "begin")
    prompt = await world.prompt("o", "begin")
    await root.fails(ModelFault("it does not answer"))
    await world.turn_end("r")
    page = (await visit()).page

    await pressed(page, "/", "Actions for o", "Stop it and all below")
    await expect(page.get_by_role("listitem", name="o", exact=True)).to_contain_text("paused by you")
    await pressed(page, "/", "Resume")
    await expect(page.get_by_role("listitem", name="o", exact=True)).not_to_contain_text("paused by you")
    await other.starts(question("which one?", "blue", "green"))
    await world.event("ask.opened")
    await pressed(page, "/asks", "green")
    await expect(page.get_by_role("article")).to_have_count(0)
    await expect(page.get_by_role("list", name="Open asks")).to_be_focused()
    await pressed(page, f"/agents/{prompt.session_id}", "Stop")
    await expect(page.get_by_role("button", name="Resume")).to_have_count(1)
    await page.wait_for_function(HOLDS)
    await pressed(page, f"/agents/{prompt.session_id}", "Resume")
    await world.rest()


async def pressed(page: Page, path: str, *names: str) -> None:
    """Buttons of a view, one after the other, by the keyboard alone."""
    if not page.url.endswith(path):
        await page.evaluate("path => { history.pushState(null, '', path); }", path)
    for name in names:
        await page.get_by_role("button", name=name, exact=True).press("Enter")
    await page.wait_for_function(HOLDS)
