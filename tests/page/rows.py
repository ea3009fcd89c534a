"""The rows of a conversation on the page, as a test looks at them."""

from playwright.async_api import Locator, Page, expect

from tests.page.rig import Context, Viewer, Visit

TALL = {"width": 1280, "height": 3000}
"""A window in which a conversation of a test is whole: what is not in view is not mounted."""


def rows(page: Page, text: str = "") -> Locator:
    """The rows of a conversation, or those in which a text stands."""
    found = page.get_by_role("log").get_by_role("article")
    return found.filter(has_text=text) if text else found


async def texts(page: Page) -> list[str]:
    """Everything that the rows say, in their order, folded or not."""
    placed = [
        (box["y"] if (box := await row.bounding_box()) else 0.0, await row.text_content() or "")
        for row in await rows(page).all()
    ]
    return [text for _, text in sorted(placed)]


async def watching(visit: Visit, agent: str, script: str = "", **context: Context) -> Viewer:
    """Somebody at an agent's conversation; a mark on the page is lost when it is loaded again.

    The script runs in front of those of the page.
    """
    viewer = await visit(**context)
    await viewer.context.add_init_script(script)
    await viewer.go(f"/agents/{agent}")
    await viewer.live()
    await expect(viewer.page.get_by_role("log")).to_be_visible()
    await mark(viewer)
    return viewer


async def mark(viewer: Viewer) -> None:
    """Leave something on the page that does not outlive it."""
    await viewer.page.evaluate("document.body.dataset.since = 'the beginning'")


async def not_reloaded(*viewers: Viewer) -> None:
    """Each page is the one that was opened first."""
    for viewer in viewers:
        await expect(viewer.page.locator("body")).to_have_attribute("data-since", "the beginning")
