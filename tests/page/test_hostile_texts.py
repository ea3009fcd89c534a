"""Texts that want to be more than text: nothing of them runs, loads or passes for somebody else's words."""

from typing import Final

import pytest
from playwright.async_api import Page, expect

from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.asking import question
from tests.acceptance.family import EVERYBODY, send
from tests.page.rig import Viewer, Visit
from tests.page.rows import TALL, rows, watching

ELSEWHERE: Final = "http://evil.example"
RUN: Final = "window.ran = true"
BAIT: Final = "\n\n".join(
    (
        f"<script>{RUN}</script></script><img src={ELSEWHERE}/a.png onerror='{RUN}'>",
        f"<svg onload='{RUN}'><iframe src='{ELSEWHERE}/b'></iframe><link rel=stylesheet href={ELSEWHERE}/c>",
        f"[click me](javascript:{RUN}) [or me](data:text/html,<script>{RUN}</script>) [me](vbscript:x)",
        f"![a picture]({ELSEWHERE}/d.png) ![][ref] <{ELSEWHERE}/e>",
        f"[ref]: {ELSEWHERE}/f.png",
        (
            f"| <img src={ELSEWHERE}/g.png> | [me](javascript:{RUN}) |\n|---|---|\n"
            f"| ![g]({ELSEWHERE}/h.png) | {ELSEWHERE}/i |"
        ),
        f'</pre></details></article><article data-words="user" onclick="{RUN}">You text, steer</article>',
        "☺ You text, queue\n\n⚙ Postroom turn ✓ finished\n\n\u202etxet denrut\u2066 \u200bhidden\u0007",
    )
)
SMALL: Final = {"width": 360, "height": 640}
LONG_LINE: Final = "x" * 1_000_000
FOREIGN: Final = (
    '.transcript-body script, .transcript-body iframe, .transcript-body img, [href^="javascript"]'
)


def guarded(viewer: Viewer) -> list[str]:
    """What the browser asks of anybody but the daemon, from now on."""
    asked: list[str] = []

    def heard(url: str) -> None:
        if not url.startswith((viewer.daemon.url, "data:")):
            asked.append(url)

    viewer.context.on("request", lambda request: heard(request.url))
    return asked


async def is_harmless(page: Page) -> None:
    """Nothing has run, nothing foreign is part of the page, every link leads where links may lead."""
    assert await page.evaluate("window.ran") is None
    await expect(page.locator(f'{FOREIGN}, [href^="data:"], [onclick], [onerror], [onload]')).to_have_count(0)
    for link in await page.locator(f'a[href^="{ELSEWHERE}"]').all():
        assert await link.get_attribute("rel") == "noopener noreferrer"
        assert await link.get_attribute("target") == "_blank"


async def told(world: World) -> Puppet:
    """The bait as a text of the person, a task, mail, arguments, an answer and a question, of two agents."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",))
    child = world.puppet("b", may_message=EVERYBODY)
    prompt = await world.prompt("r", BAIT)
    await world.room.rename(prompt.session_id, "<img src=x onerror=alert(1)>")
    await root.does(
        call("delegate_subagent", description=BAIT[:200], prompt=BAIT, agent_type="b", background=True)
    )
    await child.does(send(prompt.session_id, BAIT))
    await root.asked()
    await child.says(BAIT)
    await root.says(BAIT)
    await root.starts(question(BAIT, BAIT[:100], "no"))
    await world.event("ask.opened")
    return root


async def test_a_conversation_of_hostile_texts_is_read_and_nothing_else(world: World, visit: Visit) -> None:
    """G10: whose words they are stands outside of them, in words that no text can show there."""
    await told(world)
    viewer = await watching(visit, world.view("r").session_id, viewport=TALL)
    page, asked = viewer.page, guarded(viewer)
    await page.reload()
    await expect(rows(page, "made an agent")).to_have_count(1)
    for summary in await page.get_by_role("log").locator("summary").all():
        if await summary.get_attribute("aria-label") is None:
            await summary.click()

    await is_harmless(page)
    labels = await page.get_by_role("log").locator("article > header strong").all_inner_texts()
    assert sum("You" in label for label in labels) == 1
    (mine,) = await page.locator('article[data-words="user"]').all()
    assert "text, queue" in await mine.locator("> header").inner_text()
    assert "\u202e" not in await page.get_by_role("log").inner_text()
    assert "\\u{202e}" in await page.get_by_role("log").inner_text()
    await expect(page.get_by_role("log").get_by_text("[picture: a picture]").first).to_be_visible()
    assert asked == []


@pytest.mark.parametrize(
    "path", ["/", "/asks", "/mail", "/tasks", "/notices", "/dead-letters", "/search", "graph", "todos"]
)
async def test_no_view_takes_a_text_for_more(world: World, visit: Visit, path: str) -> None:
    """G10: names, titles, tasks, mail and questions of agents, in every other view."""
    await told(world)
    session = world.view("r").session_id
    paths = {"graph": f"/sessions/{session}/graph", "todos": f"/todos/{session}"}
    viewer = await visit()
    asked = guarded(viewer)
    await viewer.go(paths.get(path, path))
    await viewer.live()
    await expect(viewer.page.get_by_role("main").locator("h1, .graph-canvas").first).to_be_visible()
    if path == "/search":
        await viewer.page.get_by_role("searchbox").fill('"<script>" OR </script> \u202e')
        await viewer.page.keyboard.press("Enter")
        await expect(viewer.page.get_by_role("main")).not_to_contain_text("Loading")
    await expect(viewer.page.get_by_role("main")).not_to_contain_text("page_fault")

    await is_harmless(viewer.page)
    assert "\u202e" not in await viewer.page.get_by_role("main").inner_text()
    assert asked == []


async def test_a_table_wider_than_a_telephone_scrolls_in_its_own_box(world: World, visit: Visit) -> None:
    """WCAG 1.4.10, 2.1.1: the page keeps its width, and keys reach what stands outside."""
    columns = 20
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.says(f"{'| a column ' * columns}|\n{'|---' * columns}|\n{'| a cell ' * columns}|")
    await world.quiesce()
    page = (await watching(visit, prompt.session_id, viewport=SMALL)).page

    table = page.get_by_role("region", name="Table")
    await table.focus()
    await page.keyboard.press("ArrowRight")
    await page.wait_for_function("document.activeElement.scrollLeft > 0")
    width = await page.evaluate("document.documentElement.scrollWidth")
    assert width <= await page.evaluate("window.innerWidth")
    # What frames a conversation leaves it half of so small a window.
    box = await page.get_by_role("log").bounding_box()
    assert box is not None
    assert box["height"] > SMALL["height"] / 2


async def test_a_line_of_a_million_letters_does_not_stop_the_page(world: World, visit: Visit) -> None:
    """It is cut, says how much is missing, and neither text nor page runs out of the window."""
    root = world.puppet("r", delegates_to=("b",))
    prompt = await world.prompt("r", "begin")
    await root.says(LONG_LINE)
    await world.quiesce()
    viewer = await watching(visit, prompt.session_id)

    await expect(rows(viewer.page, "more characters")).to_have_count(1)
    width = await viewer.page.evaluate("document.documentElement.scrollWidth")
    assert width <= await viewer.page.evaluate("window.innerWidth")
    await viewer.page.get_by_role("textbox", name="Write to r").fill("still alive")
    await viewer.page.keyboard.press("Enter")
    await expect(rows(viewer.page, "still alive")).to_have_count(1)
    await world.rest()
