"""A page whose connection goes and comes back: it says so, keeps what was typed, and misses nothing."""

from playwright.async_api import Browser, expect

from postroom.profiles.daemon_settings import DaemonSettings
from postroom.testing.clock import FakeClock
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.asking import ASK_CHILDREN, the_ask
from tests.acceptance.family import delegate, send
from tests.frontends.daemon import serving
from tests.page.rig import STATIC, Viewer, Visit, log_in
from tests.page.rows import TALL, mark, not_reloaded, rows, texts, watching

AWAY_S = 60.0


CUTTABLE = """
    window.streams = [];
    window.EventSource = class extends EventSource {
      constructor(url) { super(url); window.streams.push(this); }
    };
"""
"""The browser keeps what streams already while it is offline, so a test has to cut that by itself."""
CUT = """() => {
    for (const one of window.streams.splice(0)) { one.close(); one.dispatchEvent(new Event("error")); }
}"""


async def cut_off(viewer: Viewer) -> None:
    """The network of this browser is gone, and its page says so."""
    await viewer.context.set_offline(True)
    await viewer.page.evaluate(CUT)
    await expect(viewer.page.get_by_test_id("live")).to_contain_text("NOT live")


async def connected(viewer: Viewer) -> None:
    """The network is there again; the page goes on without being loaded."""
    await viewer.context.set_offline(False)
    await viewer.back()
    viewer.complaints.clear()  # the browser's own words on what it did not reach


async def test_what_happens_while_a_page_is_cut_off_stands_there_once_it_is_back(
    world: World, visit: Visit
) -> None:
    """O-37: mail of both modes, tasks, an ask: nothing is missing, nothing doubled, all as after a reload."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b", may_message=("parent",))
    prompt = await world.prompt("r", "begin")
    await root.asked()
    viewer = await watching(visit, prompt.session_id, script=CUTTABLE, viewport=TALL)
    await cut_off(viewer)

    await root.does(delegate("b", "the task"))
    await child.does(send(prompt.session_id, "read me"))
    await root.starts(send(world.handle("b"), "steer this"))
    await world.room.approve((await the_ask(world)).ask_id)
    await world.room.send(world.handle("b"), "queue this", mode="queue")
    await child.says("done")
    await root.says("all done")
    await expect(rows(viewer.page, "read me")).to_have_count(0)
    await connected(viewer)
    await expect(rows(viewer.page, "all done")).to_have_count(1)
    await world.rest()
    await expect(rows(viewer.page, "turn ✓ finished")).not_to_have_count(0)
    await not_reloaded(viewer)

    for text in ("mail from", "mail sent", "made an agent"):
        await expect(rows(viewer.page, text)).to_have_count(1)
    await as_after_a_reload(viewer)


async def test_what_cannot_be_sent_is_said_and_kept_and_sent_once(world: World, visit: Visit) -> None:
    """A text that meets no daemon is not lost: it goes when the daemon is back, and only once."""
    world.agent("ann", say("hello"), say("I have read it."))
    ann = await world.prompt("ann", "hello")
    await world.quiesce()
    viewer = await watching(visit, ann.session_id, script=CUTTABLE)
    await cut_off(viewer)

    field = viewer.page.get_by_role("textbox", name="Write to ann")
    await field.fill("Important words.")
    await field.press("Enter")
    await expect(viewer.page.get_by_role("alert")).to_contain_text("no_answer")
    form = viewer.page.get_by_role("form", name="Write to this agent")
    await expect(form).to_contain_text("Not known to be sent")
    await expect(form).to_contain_text("Important words.")
    await connected(viewer)
    await viewer.page.get_by_role("button", name="Try again").click()

    await expect(rows(viewer.page, "Important words.")).to_have_count(1)
    await expect(rows(viewer.page, "I have read it.")).to_have_count(1)
    await expect(form).not_to_contain_text("Not known to be sent")
    await not_reloaded(viewer)
    assert len(world.events("message.accepted")) == len(("hello", "Important words."))
    await world.rest()


async def test_a_view_that_was_opened_without_a_daemon_can_be_shown_once_it_is_back(
    world: World, visit: Visit
) -> None:
    """Its code was not there yet; the page asks for it anew, and it comes with its styles."""
    world.agent("ann", say("hello"))
    ann = await world.prompt("ann", "hello")
    await world.quiesce()
    viewer = await watching(visit, ann.session_id, script=CUTTABLE)
    await cut_off(viewer)
    await viewer.page.get_by_role("link", name="Settings").click()
    again = viewer.page.get_by_role("button", name="Show the view again")
    await again.click()
    await expect(again).to_be_visible()
    await connected(viewer)
    await again.click()
    await expect(viewer.page.get_by_role("form", name="New token")).to_be_visible()
    fields = viewer.page.locator(".rows-fields").first
    assert await fields.evaluate("one => getComputedStyle(one).display") != "block"
    await not_reloaded(viewer)


async def test_a_page_that_comes_back_behind_what_was_pruned_shows_what_is(
    world: World, browser: Browser
) -> None:
    """O-37: its place in the log is gone, so it forgets and begins anew, over a restart of the daemon."""
    world.agent("ann", say("an old answer"), say("a new answer"))
    ann = await world.prompt("ann", "an old question")
    await world.quiesce()
    room, clock = world.room, world.clock
    assert isinstance(clock, FakeClock)
    async with serving(room, page=STATIC) as daemon:
        viewer = await log_in(browser, daemon, viewport=TALL)
        await viewer.go(f"/agents/{ann.session_id}")
        await expect(rows(viewer.page, "an old answer")).to_have_count(1)
        await mark(viewer)
    await expect(viewer.page.get_by_test_id("live")).to_contain_text("the daemon was stopped")
    await world.prompt("ann", "a new question")
    await world.quiesce()
    await clock.advance(AWAY_S)
    assert (await room.prune(AWAY_S / 2)).sessions == 1
    port = int(daemon.url.rpartition(":")[2])
    async with serving(room, settings=DaemonSettings(port=port), page=STATIC):
        await viewer.back()
        await expect(rows(viewer.page, "turn ✓ finished")).to_have_count(2)
        await expect(rows(viewer.page, "an old answer")).to_have_count(0)
        await not_reloaded(viewer)
        await as_after_a_reload(viewer)
        await viewer.context.close()


async def as_after_a_reload(viewer: Viewer) -> None:
    """What the page shows, as soon as it has heard everything, is what a page shows that is loaded now."""
    other = await viewer.context.new_page()
    await other.goto(viewer.page.url)
    await expect(rows(other)).to_have_count(await rows(viewer.page).count())
    loaded = await texts(other)
    for text in loaded:
        await expect(rows(viewer.page, text)).not_to_have_count(0)
    assert await texts(viewer.page) == loaded
    await other.close()
