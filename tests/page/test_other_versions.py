"""A page and a daemon of different versions: refused where they would misunderstand each other, else not."""

import json

from playwright.async_api import Route, expect

from postroom.testing.world import World
from tests.page.rig import Visit

SOMEDAY = {"whether": ["it", {"rains": True}], "agent_hop_of_tomorrow": 3}


def frame(kind: str, data: object, cursor: int | None = None) -> str:
    """One frame of a stream."""
    head = "" if cursor is None else f"id: {cursor}\n"
    return f"{head}event: {kind}\ndata: {json.dumps(data)}\n\n"


async def test_a_page_of_another_protocol_is_refused_and_says_so(world: World, visit: Visit) -> None:
    """CK-33: nothing of the store is shown by it."""
    root = world.puppet("r")
    await world.prompt("r", "Build it")
    await root.asked()
    viewer = await visit()

    async def as_another(route: Route) -> None:
        request = route.request
        named = {**request.headers, "postroom-protocol": "2"}
        await route.continue_(url=request.url.replace("protocol=1", "protocol=2"), headers=named)

    await viewer.context.route("**/api/v1/**", as_another)
    await viewer.page.reload()
    await expect(viewer.page.get_by_role("heading")).to_have_text("This page is of another version")
    await expect(viewer.page.get_by_role("status")).to_contain_text("another version of the protocol")
    await expect(viewer.page.get_by_text("Build it")).to_have_count(0)
    assert any("426" in complaint for complaint in viewer.complaints)
    viewer.complaints.clear()  # the browser's own words on each 426

    await viewer.context.unroute("**/api/v1/**")
    await viewer.page.get_by_role("button", name="Load anew").click()
    await viewer.live()
    await world.rest()


async def test_frames_events_and_fields_of_tomorrow_are_passed_over(world: World, visit: Visit) -> None:
    """CK-33: of frames that it does not know, events of unknown kinds, and fields that are new or absent."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "Build it")
    await root.asked()
    viewer = await visit()
    newest = world.events()[-1].pos
    unknown = {"pos": newest, "seq": 1, "kind": "weather.changed", "session_id": prompt.session_id, **SOMEDAY}
    told = (
        frame("open", {"protocol": 1, "version": "99.0", "pos": newest - 1, **SOMEDAY}),
        frame("forecast", SOMEDAY), frame("text", SOMEDAY), "event: log\ndata: not JSON\n\n",
        frame("log", unknown, newest), frame("live", SOMEDAY),
    )  # fmt: skip
    asked: list[str] = []

    async def once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            await route.continue_()
        else:
            await route.fulfill(content_type="text/event-stream", body="".join(told))

    await viewer.context.route("**/api/v1/events?*", once)
    await viewer.page.reload()
    await expect(viewer.page.get_by_role("listitem", name="r")).to_contain_text("asks its model")
    await root.says("It is built.")
    await expect(viewer.page.get_by_role("listitem", name="r")).to_contain_text("finished")
    await viewer.live()

    assert f"after={newest}" in asked[1]
    await world.rest()
