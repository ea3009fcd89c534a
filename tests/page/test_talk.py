"""People write to agents from the page and see what comes of it, without a reload."""

from playwright.async_api import expect

from postroom.testing.script import say
from postroom.testing.world import World
from tests.page.rig import Visit


async def test_what_one_writes_is_answered_before_ones_eyes(world: World, visit: Visit) -> None:
    """OP-19: pick an agent, write to it; the answer stands below without a reload."""
    world.agent("ann", say("It is **done**."))
    ann = await world.prompt("ann", "hello")
    viewer = await visit()
    await viewer.go(f"/agents/{ann.session_id}")

    await viewer.page.get_by_role("textbox").fill("Please go on.")
    await viewer.page.keyboard.press("Enter")

    await expect(viewer.page.get_by_text("Please go on.")).to_be_visible()
    await expect(viewer.page.get_by_text("done")).to_have_count(2)
