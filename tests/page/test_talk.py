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


async def test_a_conversation_is_called_otherwise_from_its_head_by_keyboard(
    world: World, visit: Visit
) -> None:
    """Every window that names it changes at once; a title that is refused is told where it was typed."""
    world.agent("ann", say("hello"))
    ann = await world.prompt("ann", "its first words")
    await world.quiesce()
    viewer, team = await visit(), (await visit()).page
    page = viewer.page
    await expect(team.get_by_role("heading", name="its first words")).to_be_visible()
    await page.goto(page.url + f"agents/{ann.session_id}")

    pen = page.get_by_role("button", name="Change the title")
    await pen.press("Enter")
    field = page.get_by_role("dialog").get_by_role("textbox", name="Title")
    await expect(field).to_have_value("its first words")
    await field.fill("no \u0007 line")
    await field.press("Enter")
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("invalid_title")
    viewer.complaints.clear()  # the browser's own words on what was refused
    await field.fill("عنوان 2")
    await field.press("Enter")

    await expect(pen).to_be_focused()
    await expect(page.locator(".transcript-title")).to_contain_text("عنوان 2")
    await expect(team.get_by_role("heading", name="عنوان 2")).to_be_visible()
