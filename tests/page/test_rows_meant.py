"""An address leads into a transcript to the row that it means; what is deleted is not asked for again."""

from playwright.async_api import Request, expect

from postroom.testing.script import say
from postroom.testing.world import World
from tests.page.rig import Visit


async def test_an_address_leads_to_the_message_that_it_means(world: World, visit: Visit) -> None:
    """OP-19: of a long conversation the row is in view and marked, not the end."""
    world.agent("ann", *(say(f"answer {number}\n\n" + "more\n\n" * 40) for number in range(4)))
    ann = await world.prompt("ann", "the first text")
    for number in range(3):
        await world.room.prompt(f"text {number}", session=ann.session_id)
        await world.quiesce()
    (first, *_) = [event.message_id for event in world.events("message.accepted")]
    viewer = await visit()

    await viewer.go(f"/agents/{ann.session_id}?row={first}")

    marked = viewer.page.locator("[aria-current=location]")
    await expect(marked).to_contain_text("the first text")
    await expect(marked).to_be_in_viewport()


async def test_a_deleted_session_is_asked_for_no_more(world: World, visit: Visit) -> None:
    """Whoever looks at it is told that it is gone, and the page asks for nothing of it."""
    world.agent("ann", say("done"))
    ann = await world.prompt("ann", "hello")
    viewer = await visit()
    await viewer.go(f"/agents/{ann.session_id}")
    await viewer.live()
    await expect(viewer.page.get_by_text("done", exact=True)).to_be_visible()
    asked: list[str] = []

    def hear(request: Request) -> None:
        asked.append(request.url)

    viewer.page.on("request", hear)

    await world.room.delete(ann.session_id)

    await expect(viewer.page.get_by_text("This session was deleted.")).to_be_visible()
    assert [url for url in asked if ann.session_id in url] == []
