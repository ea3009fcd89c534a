"""Cases O-04, O-08, O-09, O-22: repeated ids, order, batches of tools, clocks that are wrong."""

import asyncio
import random
import re
from collections.abc import Mapping, Sequence

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.domain.receipt import Receipt
from postroom.llm.port import AssistantItem, ResultItem, UserItem
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, call, held, say
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds, accepted, delegate, draft, family, send

MARK = re.compile(r"<(\w+):(steer|queue):(\d+)>")


async def test_calls_of_different_answers_may_have_the_same_id(world: World) -> None:
    """O-04 a: the provider counts from call_0 in every answer."""
    _, a, b = await family(world, "a", "b")
    to = world.handle("b")

    ids = [accepted(r).message_id for body in ("one", "two", "two") for r in await a.does(send(to, body))]
    b.rests()
    await world.turn_end("b")

    assert len(set(ids)) == 3
    assert re.findall("one|two", "".join(texts(world.requests("b")[-1]))) == ["one", "two", "two"]
    await world.check()


async def test_calls_of_one_answer_may_share_their_id(world: World) -> None:
    """O-04 b"""
    _, a, b, c = await family(world, "a", "b", "c")

    results = await a.does(send(world.handle("b"), "x"), send(world.handle("c"), "y"), shared_id="call_0")
    for puppet in (b, c):
        puppet.rests()
    await world.turn_end("b")
    await world.turn_end("c")

    assert len({r.call_id for r in results}) == 2
    assert len({accepted(r).message_id for r in results}) == 2
    assert [times(t, world.requests(p)) for t, p in (("\nx\n", "b"), ("\ny\n", "c"))] == [1, 1]
    await world.check()


async def test_the_same_recorded_call_run_again_sends_nothing_new(world: World) -> None:
    """O-04 c"""
    root, b = await family(world, "b")
    (first,) = await root.does(send(world.handle("b"), "once"))
    sent = world.events("message.sent", agent="r")[-1]

    for _ in range(3):
        again = await world.room.office.send(draft(world, sent, "once"), lambda _: None)
        assert isinstance(again.outcome, Receipt)
        assert again.outcome.message_id == accepted(first).message_id
    b.rests()
    await world.turn_end("b")

    assert times("once", world.requests("b")) == 1
    await world.check()


@pytest.mark.parametrize("seed", range(10))
async def test_no_later_message_overtakes_an_earlier_one(worlds: Worlds, seed: int) -> None:
    """O-08: ten schedules a seed, with a second sender; steers may pass queued mail and nothing else."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=None, rounds_max=1_000))
    chance = random.Random(seed)
    _, a, c, b = await family(world, "a", "c", "b")
    to = world.handle("b")

    await b.says("ready")
    await world.turn_end("b")

    for schedule in range(10):
        await world.room.send(to, "next schedule", mode="queue")
        await b.asked()
        numbers = [schedule * 4 + n for n in range(3)]
        await asyncio.gather(
            _sends(a, to, "a", ["steer", "queue", "steer"], numbers, chance),
            _sends(c, to, "c", [chance.choice(("steer", "queue")) for _ in range(3)], numbers, chance),
            _answers(b, chance),
        )
        ended = len(world.events("turn.ended", agent="b"))
        ending = asyncio.ensure_future(_always(b))
        await world.turn_end("b", ended + 1)
        mode = chance.choice(("steer", "queue"))
        await a.does(send(to, f"<a:{mode}:{schedule * 4 + 3}>", mode))
        await _idle(world, 8 * (schedule + 1) + 1)
        ending.cancel()

    order = MARK.findall("".join(texts(world.requests("b")[-1])))
    _is_in_order(order)
    assert len(order) == len(set(order)) == 70
    await world.check()


async def test_a_batch_of_tools_is_finished_before_steers_are_read(world: World) -> None:
    """O-09: queued mail opens the next turn."""
    gates, cancelled = _batch_tools(world)
    root, b, to = await _batch_family(world)

    await b.starts(call("fast"), call("slow"), call("slow"), delegate("k"))
    for gate in gates.values():
        await gate.reached.wait()
    await world.turn_end("k")
    s1, q1 = await root.does(send(to, "s1"), send(to, "q1", "queue"))
    gates["t2"].open()
    await world.event("call.ended", 2, agent="b")
    (s2,) = await root.does(send(to, "s2"))
    gates["t3"].open()
    second = await world.request("b", 2)
    await b.says("done")
    third = await world.request("b", 3)

    assert (cancelled, [accepted(r).mode for r in (s1, q1, s2)]) == ([], ["steer", "queue", "steer"])
    assert [type(i) for i in second.items[1:7]] == [AssistantItem, *[ResultItem] * 4, UserItem]
    assert texts(second)[2:5] == ["result of t1", "result of t2", "result of t3"]
    assert all(t in s for t, s in zip(("the child is done", "s1", "s2"), texts(second)[6:], strict=True))
    assert (times("q1", [second]), times("q1", [third])) == (0, 1)
    assert len(world.events("turn.started", agent="b")) == 2
    await world.check()


async def test_texts_of_clients_with_wrong_clocks_are_taken_in_order_of_arrival(world: World) -> None:
    """O-22 a, b: ids of a client that is ten minutes ahead, and of one that is behind."""
    model = world.agent("r", *(say(f"answer {n}") for n in range(4)))
    ahead, behind = "019ad5b6-0000-7000-8000-000000000001", "019ad5a0-0000-7000-8000-000000000001"

    for n, client_id in enumerate((ahead, behind, f"{ahead[:-1]}2", f"{behind[:-1]}2")):
        prompt = await world.prompt("r", f"question {n}", client_id=client_id)
        end = await world.room.wait(prompt)
        assert end.text == f"answer {n}"

    history = [i.text for i in await world.room.history(world.view("r").session_id)]
    assert history == [f"{word} {n}" for n in range(4) for word in ("question", "answer")]
    assert len(model.requests) == 4
    await world.check()


async def test_a_thousand_texts_in_one_millisecond_start_a_turn_each(world: World) -> None:
    """O-22 c"""
    gate = Gate()
    profiles = [f"r{n}" for n in range(20)]
    for profile in profiles:
        world.agent(profile, held(gate, say("answer")), *(say("answer") for _ in range(49)))
    for profile in profiles:
        await world.prompt(profile, "first")
    later = [(profile, n) for n in range(1, 50) for profile in profiles]

    prompts = await asyncio.gather(*(world.prompt(profile, f"text {n}") for profile, n in later))
    gate.open()
    await world.quiesce()

    arrived = world.events("message.accepted")
    assert (len({e.ts_us for e in arrived}), len({p.message_id for p in prompts})) == (1, 980)
    assert len(world.events("turn.ended")) == 1_000
    said = {p.message_id: f"text {n}" for p, (_, n) in zip(prompts, later, strict=True)}
    for profile in profiles:
        order = [said.get(e.message_id, "first") for e in arrived if e.agent == profile]
        history = [i.text for i in await world.room.history(world.view(profile).session_id)]
        assert history == [t for text in order for t in (text, "answer")]
    await world.check()


async def test_a_wall_clock_that_steps_back_changes_no_order(world: World) -> None:
    """O-22 d: and the window of a repeated client id does not stretch or vanish."""
    _, a, b = await family(world, "a", "b")
    assert isinstance(world.clock, FakeClock)
    first = await world.room.send(world.handle("b"), "from the person", client_id="same")
    (one,) = await a.does(send(world.handle("b"), "one"))
    world.clock.step_wall(-5.0)
    (two,) = await a.does(send(world.handle("b"), "two"))
    again = await world.room.send(world.handle("b"), "from the person", client_id="same")
    b.rests()
    await world.turn_end("b")

    assert again == first
    assert accepted(one).message_id != accepted(two).message_id
    found = re.findall("one|two|from the person", "".join(texts(world.requests("b")[-1])))
    assert found == ["from the person", "one", "two"]
    await world.check()


async def _batch_family(world: World) -> tuple[Puppet, Puppet, str]:
    """The root, a `b` with both tools and a child of its own that ends at once, and b's handle."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("fast", "slow"), delegates_to=("k",))
    world.agent("k", say("the child is done"))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    return root, b, world.handle("b")


def _batch_tools(world: World) -> tuple[dict[str, Gate], list[str]]:
    """`fast`, and `slow` with a gate for the second and one for the third call; who was cancelled."""
    gates = {"t2": Gate(), "t3": Gate()}
    cancelled: list[str] = []

    async def slow(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        name = "t2" if caller.call_id.endswith("_1") else "t3"
        try:
            await gates[name].through()
        except asyncio.CancelledError:
            cancelled.append(name)
            raise
        return ToolResult(text=f"result of {name}")

    world.tool("slow", slow)
    world.tool("fast", _fast)
    return gates, cancelled


async def _fast(*_: object) -> ToolResult:
    return ToolResult(text="result of t1")


async def _sends(
    puppet: Puppet, to: str, name: str, modes: list[str], numbers: list[int], chance: random.Random
) -> None:
    """One send a round, each after its receipt."""
    for mode, number in zip(modes, numbers, strict=True):
        for _ in range(chance.randrange(30)):
            await asyncio.sleep(0)
        (result,) = await puppet.does(send(to, f"<{name}:{mode}:{number}>", mode))
        accepted(result)


async def _answers(puppet: Puppet, chance: random.Random) -> None:
    """B comes to boundaries at times of its own, and perhaps to the end of a turn."""
    for _ in range(chance.randrange(4)):
        for _ in range(chance.randrange(30)):
            await asyncio.sleep(0)
        await puppet.starts(call("nothing"))


async def _always(puppet: Puppet) -> None:
    while True:
        await puppet.says("done")


async def _idle(world: World, consumed: int) -> None:
    """So many mails have been read, and the turn that read the last one is over."""
    await world.event("message.consumed", consumed, agent="b")
    await world.turn_end("b", len(world.events("turn.started", agent="b")))


def _is_in_order(order: Sequence[tuple[str, str, str]]) -> None:
    for sender in ("a", "c"):
        for mode in ("steer", "queue"):
            numbers = [int(n) for s, m, n in order if (s, m) == (sender, mode)]
            assert numbers == sorted(numbers)
    numbers = [int(n) for s, _, n in order if s == "a"]
    assert all(numbers.index(4 * k + 3) > numbers.index(4 * k + n) for k in range(10) for n in range(3))
