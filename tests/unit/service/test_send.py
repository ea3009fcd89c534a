"""A call that comes to the service twice."""

from dataclasses import replace

import pytest

from postroom.domain.policy import Policy
from postroom.errors import StaleFence
from postroom.service.draft import Draft
from postroom.testing.world import World
from tests.acceptance.family import Worlds, accepted, code, draft, family, send


async def test_a_refused_call_that_comes_again_sends_nothing(worlds: Worlds) -> None:
    """G2: its turn has read that nothing was sent, and no retry could be told from the first."""
    world = worlds(policy=Policy(surface="tree", pair_window=1))
    root, b = await family(world, "b")
    first, second = await root.does(send(world.handle("b"), "one"), send(world.handle("b"), "two"))
    accepted(first)
    assert code(second) == "inflight_full"
    await b.says("read")
    await b.asked()
    retry = _again(world, "two")

    with pytest.raises(StaleFence):
        await world.room.office.send(retry, lambda _: None)

    assert len(world.events("message.sent", agent="r")) == 2  # the prompt and the first mail
    await world.check()


def _again(world: World, body: str) -> Draft:
    sent = world.events("message.sent", agent="r")[-1]
    refused = world.events("message.refused", agent="r")[-1].facts["call"]
    assert isinstance(refused, int)
    return replace(draft(world, sent, body), call=refused)
