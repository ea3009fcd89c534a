"""`branch`: the numbers along the path of a chain, and the tools of who has none left (systems.md 1.11)."""

from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.llm.port import ModelRequest, ResultItem, UserItem
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Play, ScriptedAnswer, say
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, address, branch_world, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds

OFF = replace(POLICY, messages_max=None, generations_max=None, fan_out_max=None, concurrency=9)


def numbers(world: World, profile: str, nth: int = 1) -> tuple[Json, Json]:
    """Messages and generations with which the n-th turn of a profile began."""
    begun = world.events("turn.started", agent=profile)[nth - 1].facts
    return begun["messages"], begun["generations"]


def is_refused(result: ResultItem, code: str) -> bool:
    """Whether a call was refused with this code."""
    return result.is_error and f"({code})" in result.text


def thrower(world: World, other: str, most: int) -> Play:
    """Whoever reads `ball N` throws the next one to the other; nothing else is answered with a call."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        last = request.items[-1]
        found = last.text.rpartition("ball ")[2].split()[:1] if isinstance(last, UserItem) else []
        if not found or not found[0].isdecimal() or int(found[0]) >= most:
            return say("held it")
        return message(address(world, other), f"ball {int(found[0]) + 1}")

    return play


@pytest.mark.parametrize(("limit", "thrown"), [(8, 8), (None, 40)], ids=["8", "off"])
async def test_a_ping_pong_ends_with_the_messages_of_its_chain(
    worlds: Worlds, limit: int | None, thrown: int
) -> None:
    """OP-10, O-14: with 0 it never stops; here the players have enough after 40 balls."""
    world = branch_world(worlds, replace(POLICY, messages_max=limit))
    for name, other in (("a", "b"), ("b", "a")):
        world.agent(name, *[thrower(world, other, 40)] * 200)
    await world.prompt("b", "hello")
    await world.prompt("a", "hello")
    await world.quiesce()
    await world.prompt("a", "ball 0")
    await world.quiesce()

    sent = [e for e in world.events("message.sent") if e.facts["kind"] == "mail"]
    refused = [e.facts["code"] for e in world.events("message.refused")]

    assert len(sent) == thrown
    assert refused == (["messages_spent"] if limit else [])
    await world.check()


async def test_eight_messages_are_eight_round_trips(worlds: Worlds) -> None:
    """OP-63, OP-34: a reply costs nothing, so the ninth send is the first that is refused."""
    world = branch_world(worlds)
    a, b = await pair(world)
    for trip in range(8):
        (sent,) = await a.does(message(address(world, "b"), f"question {trip}"))
        assert not sent.is_error
        await a.says("asked")
        await b.says(f"answer {trip}")
        await a.asked()

    (refused,) = await a.does(message(address(world, "b"), "one more"))

    assert is_refused(refused, "messages_spent")
    assert "8 of 8" in refused.text
    assert numbers(world, "a", 9) == (8, 0)
    await world.check()


async def test_a_new_text_of_the_person_starts_at_nothing(worlds: Worlds) -> None:
    """OP-34: at one below the limit it is accepted, at the limit not, and the next chain is another one."""
    world = branch_world(worlds, replace(POLICY, messages_max=1))
    a, b = await pair(world)
    await a.does(message(address(world, "b"), "one"))
    await a.says("asked")
    (refused,) = await b.does(message(address(world, "a"), "two"))
    b.rests()
    await a.asked()
    a.rests()
    await world.quiesce()

    await world.prompt("a", "again")
    await world.quiesce()

    assert is_refused(refused, "messages_spent")
    assert numbers(world, "b", 2) == (1, 0)
    assert numbers(world, "a", 3) == (0, 0)
    await world.check()


async def test_a_worker_makes_no_agents_and_works_with_those_that_exist(worlds: Worlds) -> None:
    """OP-59: the default depth is 1."""
    world = branch_world(worlds)
    _, w, x = await crew(world, "w", "x")

    refused, given, sent = await w.does(
        spawn("deeper", agent_id="x"),
        dispatch(address(world, "x"), "a task"),
        message(address(world, "x"), "hi"),
    )

    assert is_refused(refused, "generations_spent")
    assert not given.is_error
    assert not sent.is_error
    assert numbers(world, "w") == (1, 1)
    x.rests()
    await world.check()


@pytest.mark.parametrize(("limit", "made"), [(2, 2), (None, 5)], ids=["2", "off"])
async def test_so_many_generations_and_no_more(worlds: Worlds, limit: int | None, made: int) -> None:
    """OP-60: depth 2 allows one more generation and refuses the third; off allows any."""
    world = branch_world(worlds, replace(OFF, generations_max=limit))
    names = ["a", *(f"w{n}" for n in range(1, made + 2))]
    puppets = [world.puppet(name) for name in names]
    await world.prompt("a", "begin")
    for puppet, below in zip(puppets[:made], names[1:], strict=False):
        (result,) = await puppet.does(spawn("work", agent_id=below))
        assert not result.is_error

    (last,) = await puppets[made].does(spawn("work", agent_id=names[-1]))

    assert is_refused(last, "generations_spent") is (limit is not None)
    assert numbers(world, names[made])[1] == made
    await world.check()


async def test_the_ninth_agent_of_a_turn_is_refused_and_the_next_turn_starts_afresh(worlds: Worlds) -> None:
    """OP-61, OP-65: a refused spawn uses no place."""
    world = branch_world(worlds)
    a, w = world.puppet("a"), world.puppet("w")
    w.rests()
    await world.prompt("a", "begin")
    (nobody,) = await a.does(spawn("x", agent_id="no such profile"))
    made = await a.does(*(spawn(f"task {n}", agent_id="w") for n in range(8)))
    (ninth,) = await a.does(spawn("task 9", agent_id="w"))
    tools = [spec.name for spec in world.requests("a")[-1].tools]
    a.rests()
    await world.quiesce()

    assert is_refused(nobody, "unknown_profile")
    assert not any(result.is_error for result in made)
    assert is_refused(ninth, "fan_out_spent")
    assert "agent" in tools
    await world.check()


async def test_a_next_turn_makes_eight_more(worlds: Worlds) -> None:
    """OP-61: what was made counts for its turn alone; with the guard off there is no end."""
    world = branch_world(worlds, replace(POLICY, fan_out_max=2))
    a, w = world.puppet("a"), world.puppet("w")
    w.rests()
    first = await made_in_one_turn(world, a, 3)
    second = await made_in_one_turn(world, a, 3)
    wide = branch_world(worlds, replace(POLICY, fan_out_max=None))
    b = wide.puppet("a")
    wide.puppet("w").rests()
    many = await made_in_one_turn(wide, b, 12)

    assert first == second == [True, True, False]
    assert many == [True] * 12
    await world.check()
    await wide.check()


async def made_in_one_turn(world: World, a: Puppet, wanted: int) -> list[bool]:
    """Which of so many spawns in a new turn were made; then that turn is over, and so is what they bring."""
    await world.prompt("a", "make some")
    results = await a.does(*(spawn(f"task {n}", agent_id="w") for n in range(wanted)))
    made = [not result.is_error for result in results]
    await a.says("made")
    for _ in range(sum(made)):
        await a.says("noted")
    await world.quiesce()
    return made


async def test_wave_after_wave_is_spawned_until_the_messages_are_spent(worlds: Worlds) -> None:
    """OP-62: a follow-up has the messages of the child and the generations of the dispatcher."""
    world = branch_world(worlds, replace(POLICY, messages_max=3))
    a, w = world.puppet("a"), world.puppet("w")
    w.rests()
    await world.prompt("a", "begin")
    for wave in range(3):
        (made,) = await a.does(spawn(f"wave {wave}", agent_id="w"))
        assert not made.is_error
        await a.says("sent off")
        await a.asked()

    tools = [spec.name for spec in (await a.asked()).tools]
    (sent,) = await a.does(message("anybody", "x"))

    assert [numbers(world, "a", turn) for turn in (1, 2, 3, 4)] == [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert "agent" not in tools
    assert is_refused(sent, "messages_spent")
    await world.check()


GONE = {"agent", "task_output", "task_stop"}
STAY = {"send_message", "list_agents", "archive_agent", "list_tasks"}


async def test_without_messages_left_three_tools_are_gone_and_four_stay(worlds: Worlds) -> None:
    """OP-64: decided where the turn starts and kept through it, for the cache of the prompt."""
    world = branch_world(worlds, replace(POLICY, messages_max=1))
    a, b = await pair(world)
    before = {spec.name for spec in world.requests("a")[-1].tools}
    await a.does(message(address(world, "b"), "one"))
    after = {spec.name for spec in (await a.asked()).tools}
    told = {spec.name for spec in (await b.asked()).tools}

    assert before == after
    assert before >= GONE | STAY
    assert not told & GONE
    assert told >= STAY
    (hidden,) = await b.does(spawn("one more"))
    assert hidden.text.startswith("agent:messages_spent: ")
    await world.check()


async def test_spent_generations_remove_no_tool(worlds: Worlds) -> None:
    """OP-65."""
    world = branch_world(worlds)
    _, w = await crew(world, "w")

    assert {spec.name for spec in (await w.asked()).tools} >= GONE | STAY
    await world.check()


async def test_the_numbers_cross_a_queue_a_restart_a_reply_and_a_timer(worlds: Worlds) -> None:
    """OP-66, OP-40: they stand on the message, so no thread and no process has to remember them."""
    world = branch_world(worlds, replace(POLICY, messages_max=2))
    a, b = await pair(world)
    await world.prompt("b", "be busy")
    await b.asked()
    await a.does(message(address(world, "b"), "behind a queue"))
    await a.says("asked")
    await world.turn_end("a")
    await world.reopen()
    b.rests()
    await a.asked()

    waited = next(e for e in world.events("turn.started", agent="b") if e.facts["messages"])
    answered = world.events("turn.started", agent="a")[-1].facts

    assert (waited.facts["messages"], waited.facts["generations"]) == (1, 0)
    assert (answered["messages"], answered["generations"]) == (1, 0)
    await world.check()


async def test_a_text_for_later_begins_a_chain_of_that_moment(worlds: Worlds) -> None:
    """OP-66: said by a process that was started since, at nothing, and bound by the settings of then."""
    world = branch_world(worlds)
    clock = world.clock
    assert isinstance(clock, FakeClock)
    a, _ = await pair(world)
    await a.says("begun")
    await world.quiesce()
    await world.room.send_at(address(world, "a"), "later", clock.now_us() + 60_000_000)
    world.policy = replace(POLICY, messages_max=1)
    await world.reopen()
    await clock.advance(61)
    await a.asked()

    (first,) = await a.does(message(address(world, "b"), "one"))
    chain = world.events("chain.began")[-1].facts

    assert not first.is_error
    assert chain["messages_max"] == 1
    assert texts(await a.asked())[-3] == "later"
    await world.check()
