"""The order of a conversation on the page is that of the store, whatever a clock says."""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from postroom.testing.clock import START_US, FakeClock
from postroom.testing.script import say
from postroom.testing.world import World
from tests.page.rig import Visit
from tests.page.rows import not_reloaded, rows, texts, watching

N_AT_ONCE = 100
NOW = datetime.fromtimestamp(START_US / 1_000_000, UTC)


@pytest.mark.parametrize("minutes", [10, -10])
async def test_an_answer_stands_after_its_question_whatever_time_the_browser_has(
    world: World, visit: Visit, minutes: int
) -> None:
    """O-22 a, b: ten minutes ahead or behind, each text begins one turn, which ends at its answer."""
    world.agent("ann", *(say(f"answer {n}") for n in range(3)))
    ann = await world.prompt("ann", "question 0")
    await world.quiesce()
    viewer = await visit()
    await viewer.page.clock.set_fixed_time(NOW + timedelta(minutes=minutes))
    await viewer.go(f"/agents/{ann.session_id}")
    await viewer.live()
    field = viewer.page.get_by_role("textbox", name="Write to ann")

    for n in (1, 2):
        await field.fill(f"question {n}")
        await field.press("Enter")
        await expect(rows(viewer.page, f"answer {n}")).to_have_count(1)
        await expect(rows(viewer.page, "turn ✓ finished")).to_have_count(n + 1)

    said = [one for text in await texts(viewer.page) for one in SAID if one in text]
    assert said == [*SAID]
    assert len(world.events("turn.started")) == len(world.events("turn.ended")) == len(SAID) // 2
    await world.rest()


SAID = [f"{what} {n}" for n in range(3) for what in ("question", "answer")]


async def test_a_hundred_texts_of_one_millisecond_stand_as_in_the_store(world: World, visit: Visit) -> None:
    """O-22 c: the ids of messages and the time tell nothing; the page has what arrived, as it arrived."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.asked()
    assert isinstance(world.clock, FakeClock)
    viewer = await watching(visit, prompt.session_id, viewport={"width": 1280, "height": 16_000})

    names = [f"text {n}." for n in range(N_AT_ONCE)]
    await asyncio.gather(*(world.room.send(prompt.session_id, name) for name in names))
    await root.says("one moment")
    await root.says("all read")
    await expect(rows(viewer.page, "all read")).to_have_count(1)
    await not_reloaded(viewer)
    shown = await texts(viewer.page)
    stored = [item.text for item in await world.room.history(prompt.session_id)]

    accepted = world.events("message.accepted")[1:]
    assert len({event.ts_us for event in accepted}) == 1
    assert len({event.message_id for event in accepted}) == N_AT_ONCE
    assert sorted(order_in(stored)) == sorted(names)
    assert order_in(shown) == order_in(stored)
    await viewer.page.reload()
    await expect(rows(viewer.page)).to_have_count(len(shown))
    assert await texts(viewer.page) == shown
    await world.rest()


def order_in(said: Sequence[str]) -> list[str]:
    """The texts of the hundred, as they follow each other."""
    return [found for text in said for found in re.findall(r"text \d+\.", text)]
