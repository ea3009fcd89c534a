"""Two agents talk, and each is watched by somebody on a page of their own that nobody reloads."""

import pytest
from playwright.async_api import Locator, Page, expect

from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.branches import POLICY, address, crew, message, pair, spawn
from tests.page.rig import Visit
from tests.page.rows import mark, not_reloaded, rows, watching

SUMMARY_MAX = 120
LONG = "Is the mill open today? " + "We ask because of the flour. " * 9


async def test_a_message_to_another_session_shows_on_both_pages_at_once(world: World, visit: Visit) -> None:
    """OP-9, OP-32: what is sent and what is answered by itself, each with a summary of 120 characters."""
    world.policy = POLICY
    a, b = await pair(world)
    left = await watching(visit, world.view("a").session_id)
    right = await watching(visit, world.view("b").session_id)

    await a.does(message(address(world, "b"), LONG))
    sent = rows(left.page, "mail sent")
    came = rows(right.page, "mail from a")
    await expect(sent.get_by_role("listitem")).to_contain_text("b ")
    await expect(came).to_contain_text(LONG.strip())
    assert await came.get_attribute("data-words") == "agent"
    await b.says("Open until noon. " + "So it was always. " * 12)
    replied = rows(right.page, "reply, sent by itself")
    await expect(rows(left.page, "reply from b")).to_contain_text("Open until noon.")
    await a.says("I have asked.")
    await a.says("It is open until noon.")
    await expect(rows(left.page, "reply from b")).to_contain_text("consumed")
    await expect(rows(left.page, "answered in round")).to_have_count(2)

    for row, text in ((sent, LONG), (replied, "Open until noon. So it was")):
        summary = await row.locator("summary").first.inner_text()
        assert len(summary) <= SUMMARY_MAX
        assert summary[:26] == text[:26]
    await not_reloaded(left, right)
    await world.rest()


async def two(world: World, sessions: int) -> tuple[Puppet, Puppet]:
    """Two agents at rest that may talk: in two sessions, or on two branches of one."""
    if sessions > 1:
        a, b = await pair(world)
    else:
        a, b = world.puppet("a"), world.puppet("b")
        await world.prompt("a", "begin")
        await a.starts(spawn("get ready", background=False, agent_id="b", description="b"))
        await b.says("ready")
        await a.asked()
    return a, b


@pytest.mark.parametrize("sessions", [1, 2])
async def test_two_agents_talk_to_and_fro_under_the_eyes_of_both_sides(
    world: World, visit: Visit, sessions: int
) -> None:
    """OP-96: A sees B, writes, carries on; B reads it and turns; the answer comes to A, and so on."""
    world.policy = POLICY
    a, b = await two(world, sessions)
    left = await watching(visit, address(world, "a"))
    right = await watching(visit, address(world, "b"))
    there = address(world, "b")
    (listed,) = await a.does(call("list_agents", scope="all"))
    assert f"to={there}" in listed.text

    for n, (asked, answered) in enumerate((("one?", "first"), ("two?", "second"))):
        if n:
            await world.prompt("a", "And again.")
        await a.does(message(there, asked))
        await expect(rows(right.page, "mail from").filter(has_text=asked)).to_have_count(1)
        await expect(rows(left.page, "mail sent").filter(has_text=asked)).to_contain_text("claimed")
        await a.says(f"I carry on {n}.")
        await expect(rows(left.page, f"I carry on {n}.")).to_have_count(1)
        await b.says(answered)
        await expect(rows(left.page, "reply from").filter(has_text=answered)).to_have_count(1)
        await a.says(f"I know: {answered}.")
        await expect(rows(left.page, f"I know: {answered}.")).to_have_count(1)
        await expect(rows(right.page, "reply, sent by itself").filter(has_text=answered)).to_have_count(1)
    await not_reloaded(left, right)
    await world.rest()


async def test_a_branch_is_picked_and_written_to_and_those_that_agents_made_stay_out(
    world: World, visit: Visit
) -> None:
    """OP-18, OP-19: the list has what a person may pick; on the page of a sub-branch also that one."""
    world.policy = POLICY
    a, b = await crew(world, "b")
    await b.says("ready")
    await a.says("So is b.")
    await a.says("We begin.")
    await world.quiesce()
    viewer = await watching(visit, address(world, "b"))
    picker = viewer.page.get_by_role("combobox", name="Branch")
    await expect(picker.get_by_role("option")).to_have_count(2)

    await picker.select_option(label="main, finished")
    await expect(viewer.page.get_by_role("heading", level=1)).to_have_text("a")
    await expect(picker).to_have_count(0)
    await viewer.page.get_by_role("textbox", name="Write to a").fill("Please go on.")
    await viewer.page.keyboard.press("Enter")

    await expect(rows(viewer.page, "Please go on.")).to_contain_text("You")
    await a.says("I go on.")
    await expect(rows(viewer.page, "I go on.")).to_have_count(1)
    await not_reloaded(viewer)
    await world.rest()


async def test_a_task_is_seen_in_each_state_that_it_passes_on_card_and_list(
    world: World, visit: Visit
) -> None:
    """OP-73: running, then completed or cancelled, on both without a reload."""
    world.policy = POLICY
    a = world.puppet("a")
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("a", "begin")
    await a.asked()
    card = await watching(visit, world.view("a").session_id)
    table = await visit()
    await table.go("/tasks")
    await table.live()
    await mark(table)

    await a.does(
        spawn("mend the roof", agent_id="b", description="the roof"),
        spawn("mend the door", agent_id="c", description="the door"),
    )
    for viewer in (card, table):
        for name in ("the roof", "the door"):
            await expect(tasks(viewer.page, name)).to_contain_text("running")
    await b.says("It is tight.")
    await expect(tasks(card.page, "the roof")).to_contain_text("finished")
    await expect(tasks(table.page, "the roof")).to_contain_text("completed")
    await c.asked()
    await tasks(table.page, "the door").get_by_role("button", name="Stop").click()
    await table.page.get_by_role("dialog").get_by_role("button", name="Stop it").click()
    for viewer in (card, table):
        await expect(tasks(viewer.page, "the door")).to_contain_text("cancelled")
    await not_reloaded(card, table)
    await world.rest()


def tasks(page: Page, name: str) -> Locator:
    """The card or line of a task."""
    card = page.locator("article").filter(has=page.locator("[data-task]")).filter(has_text=name)
    line = page.get_by_role("list", name="Tasks, newest first").get_by_role("listitem").filter(has_text=name)
    return card.or_(line)
