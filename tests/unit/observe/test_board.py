"""The board says what each agent does now, what lies unread, and who waits for whom; idle history is free."""

import asyncio

import pytest

from postroom.errors import ModelUnavailable, NotFound
from postroom.observe.board import AGENTS, Board, BoardAgent, board, board_of
from postroom.testing.clock import FakeClock
from postroom.testing.script import Gate, call, fail, say
from postroom.testing.world import World
from tests.acceptance.asking import ASK_PARENT, question
from tests.acceptance.family import Worlds, delegate, family, send


def read(world: World) -> Board:
    """The first page as the page asks for it."""
    return world.room.store.look(board, world.room.provider_waits.now())


def agents(world: World) -> dict[str, BoardAgent]:
    """The agents of the only conversation, by profile."""
    (root,) = read(world).roots
    return {agent.profile: agent for agent in root.agents}


async def test_an_agent_that_was_asked_for_an_answer_is_in_a_model_call(world: World) -> None:
    await family(world, "k")

    found = agents(world)

    assert (found["r"].doing.kind, found["k"].doing.kind) == ("model", "model")
    assert found["r"].is_root
    assert found["k"].parent_branch_id == found["r"].branch_id
    assert (found["r"].depth, found["k"].depth) == (0, 1)
    assert found["k"].task == "the k"
    assert found["k"].task_id
    assert found["r"].doing.round == 1
    await world.check()


async def test_a_tool_that_works_is_named(world: World) -> None:
    gate = Gate()
    world.slow_tool("dig", gate)
    root = world.puppet("r", tools=("dig",))
    await world.prompt("r", "begin")
    await root.starts(call("dig"))
    await gate.reached.wait()

    assert (agents(world)["r"].doing.kind, agents(world)["r"].doing.tool) == ("tool", "dig")
    gate.open()
    await world.check()


async def test_who_waits_for_a_task_names_the_agent_behind_it(world: World) -> None:
    root = world.puppet("r", delegates_to=("k",))
    child = world.puppet("k")
    await world.prompt("r", "begin")
    await root.starts(delegate("k", background=False))
    await child.asked()
    await world.event("turn.suspended")

    found = agents(world)
    (awaited,) = found["r"].doing.waits_for

    assert (found["r"].state, found["r"].doing.kind) == ("suspended", "wait")
    assert (awaited.what, awaited.id, awaited.branch_id) == ("task", found["k"].task_id, found["k"].branch_id)
    assert awaited.label == found["k"].label
    await world.check()


async def test_who_waits_for_the_person_says_for_what(world: World) -> None:
    root = world.puppet("r", delegates_to=("k",))
    child = world.puppet("k", rules=ASK_PARENT)
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("k"))
    await child.starts(send(prompt.session_id, "hello"))
    await world.event("ask.opened", 1)
    await root.starts(question("which one?"))
    await world.event("ask.opened", 2)

    found = agents(world)

    assert (found["r"].doing.kind, found["k"].doing.kind) == ("question", "ask")
    assert (found["r"].open_asks, found["k"].open_asks) == (1, 1)
    assert read(world).roots[0].open_asks == 2
    assert [one.what for one in found["r"].doing.waits_for] == ["person"]
    leave, asked = await world.room.asks()
    await world.room.deny(leave.ask_id)
    await world.room.answer(asked.ask_id, "this one")
    await world.check()


async def test_unread_mail_is_counted_from_the_oldest_on(world: World) -> None:
    clock = FakeClock()
    world.clock = clock
    root, _ = await family(world, "k")
    await root.does(send(world.handle("k"), "one"))
    first_us = clock.now_us()
    await clock.advance(5)
    await root.does(send(world.handle("k"), "two"))

    found = agents(world)["k"]

    assert (found.unread, found.oldest_unread_us) == (2, first_us)
    assert agents(world)["r"].oldest_unread_us is None
    await world.check()


async def test_a_stop_shows_as_a_pause_and_an_end_by_its_reason(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.turn_end("r")
    ended = agents(world)["r"]
    await world.room.stop(world.view("r").session_id)

    assert (ended.doing.kind, ended.state, ended.end_reason) == ("ended", "finished", "answered")
    assert (agents(world)["r"].doing.kind, agents(world)["r"].state) == ("paused", "paused")
    assert agents(world)["r"].input_tokens > 0
    await world.check()


async def test_a_wait_for_the_provider_is_said_with_its_end(worlds: Worlds) -> None:
    world = worlds(retry_for_s=600.0)
    clock = FakeClock()
    world.clock = clock
    world.agent("r", fail(ModelUnavailable("overloaded", retry_after_s=30.0), times=1, then=say("done")))
    await world.prompt("r", "begin")
    while not world.waits:  # noqa: ASYNC110 -- a wait sets no event
        await asyncio.sleep(0)

    waits = agents(world)["r"].doing
    await clock.advance(40)
    await world.quiesce()

    assert waits.kind == "model"
    assert waits.provider_wait is not None
    assert waits.provider_wait.code == "model_unavailable"
    assert waits.provider_wait.until_us > waits.since_us
    assert agents(world)["r"].doing.provider_wait is None
    await world.check()


async def test_agents_that_are_over_are_counted_behind_a_bound_and_shown_when_asked_for(world: World) -> None:
    extra = AGENTS + 3
    root = world.puppet("r", delegates_to=("k",))
    child = world.puppet("k")
    child.rests()
    await world.prompt("r", "begin")
    for _ in range(extra):
        await root.does(delegate("k", background=False))

    (short,) = read(world).roots
    (whole,) = world.room.store.look(board_of, {}, short.session_id).roots

    assert len(short.agents) == AGENTS + 1
    assert short.hidden == extra - AGENTS
    assert (len(whole.agents), whole.hidden) == (extra + 1, 0)
    await world.check()


async def test_pages_go_back_without_gap_or_double_and_what_moves_is_on_the_first(world: World) -> None:
    world.agent("r", say("done"))
    busy = world.puppet("b")
    moving = await world.prompt_new("b", "busy")
    await busy.asked()
    for number in range(4):
        await world.prompt_new("r", f"said {number}")
        await world.turn_end("r", number + 1)

    first = world.room.store.look(board, {}, limit=2)
    second = world.room.store.look(board, {}, before=first.before, limit=2)
    third = world.room.store.look(board, {}, before=second.before, limit=2)

    titles = [[one.title for one in page.roots] for page in (first, second, third)]
    assert first.roots[-1].session_id == moving.session_id
    assert titles == [["said 3", "said 2", "busy"], ["said 1", "said 0"], ["busy"]]
    assert third.before is None
    await world.check()


async def test_an_unknown_agent_is_refused(world: World) -> None:
    world.agent("r")
    await world.open()

    with pytest.raises(NotFound):
        world.room.store.look(board_of, {}, "nobody")
