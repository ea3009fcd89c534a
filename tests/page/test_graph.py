"""The graph of a session in a browser: looked at, pointed at, walked by keys, and gone on from."""

import json

from playwright.async_api import Locator, Page, expect

from postroom.domain.keys import NodeKey
from postroom.domain.node import Provenance, Role
from postroom.store.tx import Tx
from postroom.testing.script import Gate, held, say
from postroom.testing.world import World
from tests.acceptance.branches import POLICY, address, crew, message
from tests.page.rig import Viewer, Visit

LONG = 2_000
MOUNTED_MAX = 200


def things(page: Page) -> Locator:
    """Everything of the drawing that the browser holds now."""
    return page.locator(".graph-thing")


async def look(viewer: Viewer, session: str) -> Page:
    """At the graph of a session."""
    await viewer.go(f"/sessions/{session}/graph")
    await expect(things(viewer.page).first).to_be_visible()
    return viewer.page


def lengthen(tx: Tx, n: int) -> None:
    """So many nodes of a conversation behind the newest of the first branch."""
    head = tx.head_of(1)
    text, answer = '{"kind": "user"}', json.dumps({"text": "more", "calls": []})
    for number in range(n):
        role, parts = (Role.ASSISTANT, answer) if number % 2 else (Role.USER, text)
        head = tx.append_node(1, head, role, Provenance.AGENT, parts, 1, 1)
    tx.move_head(1, 1, head or NodeKey(0), 1, 0)


async def test_a_message_shows_where_one_points_and_what_returns_is_drawn(world: World, visit: Visit) -> None:
    """OP-20: the node of the message, its line on hover only, and the line of what an agent was made for."""
    world.policy = POLICY
    a, w = await crew(world, "w")
    await w.says("first")
    await a.does(message(address(world, "w"), "how far along?"))
    await a.says("asked")
    await w.says("half way")
    await world.rest()
    page = await look(await visit(), world.view("a").session_id)
    sent = page.locator(".graph-canvas .graph-line-sent")

    await expect(page.locator(".graph-canvas .graph-line-return")).to_have_count(1)
    await expect(sent).to_have_count(0)
    await page.get_by_text("The same as a table").click()
    row = page.get_by_role("row").filter(has_text="how far along?")
    await row.get_by_role("button").click()
    await expect(sent).to_have_count(1)
    await page.get_by_role("button", name="Close").click()
    await page.keyboard.press("Home")
    await expect(sent).to_have_count(0)


async def test_a_graph_grows_while_one_looks_and_does_not_jump(world: World, visit: Visit) -> None:
    """OP-78: the node of a turn that goes on stays the same, and shows another state when it is over."""
    gate = Gate()
    world.agent("ann", say("the first answer"), held(gate, say("the second answer")))
    prompt = await world.prompt("ann", "one")
    await world.quiesce()
    viewer = await visit()
    page = await look(viewer, prompt.session_id)
    await expect(things(page)).to_have_count(3)
    before = await page.locator(".react-flow__viewport").get_attribute("style")

    await world.prompt("ann", "two")
    await expect(page.locator(".graph-canvas .graph-is-running")).to_have_count(1)
    gate.open()

    await expect(things(page)).to_have_count(5)
    await expect(page.locator(".graph-canvas .graph-is-running")).to_have_count(0)
    assert await page.locator(".react-flow__viewport").get_attribute("style") == before


async def test_a_node_is_reached_by_keys_and_forks_the_conversation(world: World, visit: Visit) -> None:
    world.agent("ann", say("the answer"))
    prompt = await world.prompt("ann", "the question")
    await world.quiesce()
    viewer = await visit()
    page = await look(viewer, prompt.session_id)
    await page.locator(".graph-canvas").focus()

    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("#graph-active")).to_contain_text("user said: the question")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    details = page.get_by_role("complementary")
    await expect(details).to_be_focused()
    await expect(details).to_contain_text("the answer")
    await page.keyboard.press("Escape")
    await expect(page.locator(".graph-canvas")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Fork from here").click()

    await expect(page).not_to_have_url(f"{viewer.daemon.url}/sessions/{prompt.session_id}/graph")
    assert len(world.views()) == 2


async def test_two_thousand_nodes_are_a_skeleton_that_opens(world: World, visit: Visit) -> None:
    """Only what is seen is mounted, near and far; a stretch opens where one clicks."""
    world.agent("ann", say("the answer"))
    prompt = await world.prompt("ann", "the question")
    await world.quiesce()
    await world.room.store.write(lengthen, LONG)
    page = await look(await visit(), prompt.session_id)

    assert await things(page).count() < MOUNTED_MAX
    await page.get_by_role("button", name="Fit").click()
    await expect(page.get_by_label("Zoom", exact=True).last).to_have_text("25 %")
    assert await things(page).count() < MOUNTED_MAX
    await page.locator(".graph-canvas").focus()
    await page.keyboard.press("Home")
    for _ in range(2):
        await page.keyboard.press("ArrowDown")
    await expect(page.locator("#graph-active")).to_contain_text("nodes that are left out")
    await page.keyboard.press("Enter")
    await expect(page.locator("#graph-active")).not_to_contain_text("left out")
    for _ in range(2):
        await page.keyboard.press("ArrowDown")
    await expect(page.locator("#graph-active")).to_contain_text("more")
    assert await things(page).count() < MOUNTED_MAX
