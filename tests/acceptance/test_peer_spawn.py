"""`spawn_subagent`: a task for a new session of one's own kind."""

import re
from pathlib import Path

from postroom.llm.port import ModelRequest
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peers import (
    POLICY,
    answered,
    beside,
    data,
    fits,
    spawn,
)


async def test_a_background_child_is_a_session_of_ones_own_kind(worlds: Worlds) -> None:
    """DS-4: it starts at once, is written to as a child, and its result comes back by itself."""
    world, a = await beside(worlds)
    await a.starts(spawn("count to three"))
    made = data(await answered(world, 1))

    assert (made["origin"], made["status"]) == ("subagent", "started")
    child = await _asks(world, 2)
    assert child.items[-1].text == "count to three"
    await world.check()


async def test_a_foreground_child_returns_its_whole_text(worlds: Worlds) -> None:
    """DS-31: whole up to 64 KiB, on no more than one line."""
    world = worlds(policy=POLICY)
    text = "line\n" * 12_000
    world.agent("a", spawn("write", background=False), say(text), say("done"))
    await world.prompt("a", "begin")
    await world.quiesce()

    result = await answered(world, 1)
    found = data(result)

    fits("spawn_subagent", result)
    assert (found["status"], found["text"]) == ("succeeded", text)
    assert "rest" not in found
    await world.check()


async def test_a_longer_text_is_shown_by_its_ends_with_the_way_to_the_rest(worlds: Worlds) -> None:
    """DS-31: the file beside the work that holds all of it."""
    world = worlds(policy=POLICY)
    text = "word " * 20_000
    world.agent("a", spawn("write", background=False), say(text), say("done"))
    await world.prompt("a", "begin")
    await world.quiesce()

    found = data(await answered(world, 1))

    assert len(str(found["text"])) < 66_000
    assert str(found["text"]).startswith("word word")
    path = re.search(r'is in "(.+)"\.', str(found["rest"]))
    assert path is not None
    assert Path(path[1]).read_text() == text  # noqa: ASYNC240 -- nobody else runs
    await world.check()


async def test_a_rule_may_forbid_to_make_copies_of_oneself(worlds: Worlds) -> None:
    """DS-10: allowed unless a rule denies it; the tool is not even shown then."""
    world = worlds(policy=POLICY)
    a = world.puppet("a", rules=[Rule(action="delegate", effect=Effect.DENY, pattern="a")])
    await world.prompt("a", "begin")

    (result,) = await a.does(spawn())

    assert "permission_denied" in result.text
    await world.check()


async def _asks(world: World, agent: int) -> ModelRequest:
    """The first request of the nth agent of `a`'s profile."""
    while not (found := world.requests("a", agent)):
        await world.models["a"].nth_request(len(world.requests("a")) + 1)
    return found[0]
