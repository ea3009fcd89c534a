"""Whoever has no mouse, sees other colours, or hears the page, does with it what everybody does."""

from pathlib import Path
from typing import Final, TypedDict, cast

import pytest
from playwright.async_api import Page, expect

from postroom.testing.puppet import results_of
from postroom.testing.world import World
from tests.acceptance.asking import ASK_CHILDREN
from tests.acceptance.family import accepted, delegate, send
from tests.page.rig import Visit
from tests.page.rows import rows

AXE: Final = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOK: Final = """async (levels) => {
    const found = await axe.run(document, { runOnly: { type: "tag", values: levels } });
    return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, html: node.html })));
}"""
WIDTHS: Final = {"wide": 1280, "narrow": 360}


class Flaw(TypedDict):
    """One thing that a rule is broken by."""

    id: str
    html: str


async def flaws(page: Page) -> list[str]:
    """What axe finds wrong with a page as it stands."""
    await page.add_script_tag(path=AXE)
    found = cast("list[Flaw]", await page.evaluate(LOOK, LEVELS))
    return [f"{page.url.partition('/')[2]} {flaw['id']}: {flaw['html'][:160]}" for flaw in found]


async def busy(world: World) -> list[str]:
    """Agents at work, an ask, mail, a failed turn; the addresses of everything that there is to see."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b", may_message=("parent",))
    prompt = await world.prompt("r", "Look into **this**:\n\n- one\n- `two`")
    await root.does(delegate("b", "the task"))
    await child.does(send(prompt.session_id, "read me"))
    await root.starts(send(world.handle("b"), "may I?"))
    await world.event("ask.opened")
    (mail,) = world.events("message.sent", agent="b")
    session, message = prompt.session_id, mail.message_id
    return [
        "/", "/asks", f"/agents/{session}", f"/sessions/{session}/graph", "/mail", f"/messages/{message}",
        f"/why/{message}", "/search", "/tasks", f"/todos/{session}", "/dead-letters", "/notices",
        "/sessions/new", "/settings", "/nowhere",
    ]  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_view_breaks_a_rule_for_accessible_pages(
    world: World, visit: Visit, scheme: str, width: str
) -> None:
    """WCAG 2.2 A and AA as far as axe can tell; nor is any view wider than the window."""
    paths = await busy(world)
    viewer = await visit(
        bypass_csp=True, color_scheme=scheme, viewport={"width": WIDTHS[width], "height": 800},
        reduced_motion="reduce",
    )  # fmt: skip
    found: list[str] = []
    for path in paths:
        await viewer.go(path)
        await viewer.live()
        main = viewer.page.get_by_role("main")
        await expect(main.locator("h1, h2, .graph-canvas").first).to_be_visible()
        await expect(main.get_by_text("Loading")).to_have_count(0)
        found += await flaws(viewer.page)
        room = await viewer.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if room > 0:
            found.append(f"{path} is {room} px too wide")
    assert found == []


async def focus(page: Page) -> str:
    """Where the keys go: the name of what has the focus; nothing when the focus is lost."""
    return str(
        await page.evaluate(
            "(({ tagName, ariaLabel, id, innerText }) =>"
            " tagName === 'BODY' ? '' : `${tagName} ${ariaLabel || id || innerText}`)(document.activeElement)"
        )
    )


async def walk_to(page: Page, name: str, steps: int = 60) -> None:
    """Press Tab until something has the focus that is called so."""
    for _ in range(steps):
        await page.keyboard.press("Tab")
        if name in await focus(page):
            return
    raise AssertionError(f"no way by Tab to {name!r}; the focus is on {await focus(page)!r}")


async def test_everything_of_a_day_is_done_without_a_mouse(world: World, visit: Visit) -> None:
    """Pick an agent, write to it, approve what it asks, and leave; the focus is somewhere all the time."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    page = (await visit()).page
    await expect(page.get_by_role("listitem", name="r", exact=True)).to_be_visible()

    await pick_and_write(page)
    await root.starts(send(world.handle("b"), "may I?"))
    await world.event("ask.opened")
    await approve(page)
    (result,) = results_of(await root.asked())
    assert accepted(result).mode == "steer"
    await walk_to(page, "Team")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("listitem", name="r", exact=True)).to_be_visible()
    assert await focus(page)
    await world.rest()


async def pick_and_write(page: Page) -> None:
    """From the team to a conversation; a text goes out."""
    await walk_to(page, "A r")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("r")
    assert await focus(page)
    await page.keyboard.press("/")
    await page.keyboard.type("Please go on.")
    await page.keyboard.press("Enter")
    await expect(rows(page, "Please go on.")).to_have_count(1)
    assert "TEXTAREA" in await focus(page)
    await page.keyboard.press("Escape")


async def approve(page: Page) -> None:
    """To what agents ask; leave is given."""
    await walk_to(page, "Asks")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("article")).to_contain_text("may I?")
    await page.keyboard.press("j")
    assert "Approval of" in await focus(page)
    await page.keyboard.press("a")
    await expect(page.get_by_role("article")).to_have_count(0)
    await expect(page.get_by_role("list", name="Open asks")).to_be_focused()
