"""Totals of a chain: what it may spend in all, whoever spends it (O-33)."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelFault, Refused
from postroom.llm.script import ScriptedAnswer
from postroom.store.tx import Tx
from postroom.testing.script import Gate, call, say
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import POLICY as BRANCH
from tests.acceptance.branches import address, message, pair, spawn
from tests.acceptance.family import EVERYBODY, Worlds, delegate, family, send

TREE = Policy(surface="tree")
CALL = 4_000
"""Tokens of every call in O-33."""


def cost(answer: ScriptedAnswer, tokens: int, micros: int | None = 0) -> ScriptedAnswer:
    """The same round, which says that it took so much."""
    return replace(answer, tokens=tokens, cost_micros=micros)


def reason(world: World, profile: str, nth: int = 1) -> str:
    """Why the n-th turn of a profile ended."""
    return str(world.events("turn.ended", agent=profile)[nth - 1].facts["end_reason"])


def spent(world: World, chain: Json = 1) -> int:
    """Tokens of a chain, as its row has them."""
    assert isinstance(chain, int)
    return world.room.store.look(Tx.chain_of, chain).tokens


def told(world: World) -> list[Json]:
    """The codes of what the person was told."""
    return [e.facts["code"] for e in world.events("person.notified")]


async def test_an_answer_at_the_limit_is_kept_and_its_calls_are_not_made(worlds: Worlds) -> None:
    """O-33: the call in flight is finished; after it nothing is asked, and the turn says why it ended."""
    world = worlds(policy=replace(TREE, tokens_max=100))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.answers(cost(say("I will", delegate("b")), 100))
    await world.turn_end("r")
    await world.quiesce()

    (ended,) = world.events("call.ended")

    assert reason(world, "r") == "chain_spent: the budget of the chain is spent: 100 of 100 tokens"
    assert ended.facts["ended_by"] == "over_budget"
    assert not b.is_asked
    assert told(world) == ["budget_spent"]
    await world.prompt("r", "a new chain")
    request = await root.asked()
    assert "not executed: the budget of this chain is spent" in texts(request)[2]
    await world.check()


async def test_a_final_answer_at_the_limit_is_an_answer(worlds: Worlds) -> None:
    """It asks for nothing more, so nothing is cut; mail that waits for it joins no turn."""
    world = worlds(policy=replace(TREE, tokens_max=1_000_000))
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "a steer"))
    await b.answers(cost(say("done"), 1_000_000))
    await world.turn_end("b")
    root.rests()
    await world.quiesce()

    assert reason(world, "b") == "answered"
    assert len(world.requests("b")) == 1
    assert world.view("b").parked == 1
    await world.check()


async def test_a_round_that_closes_after_others_have_spent_asks_no_more(worlds: Worlds) -> None:
    """O-33: checked at every boundary, because others of the chain spend too; the results are kept."""
    world = worlds(policy=replace(TREE, tokens_max=1_000_000))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.answers(cost(say("the work"), 1_000_000))
    end = await world.turn_end("r")
    await world.quiesce()

    assert str(end.facts["end_reason"]).startswith("chain_spent: ")
    assert len(world.requests("r")) == 1
    await world.prompt("r", "what came of it?")
    assert "the work" in texts(await root.asked())[2]
    await world.check()


async def test_a_task_that_the_budget_ends_is_reported_failed_with_that_cause(worlds: Worlds) -> None:
    """O-33, O-40: the report waits for whoever gave it, and is read with the next text of the person."""
    world = worlds(policy=replace(TREE, tokens_max=1_000_000))
    root, b = await family(world, "b")
    await root.says("waiting")
    await world.turn_end("r")
    await b.answers(cost(call("nothing"), 1_000_000))
    task = (await world.event("task.ended")).facts
    await world.quiesce()
    parked = world.view("r").parked
    await world.prompt("r", "what now?")
    report = texts(await root.asked())[-1]

    assert (task["state"], task["outcome"]) == ("errored", "failed")
    assert str(task["cause"]).startswith("chain_spent: ")
    assert parked == 1
    assert 'status="failed"' in report
    assert "chain_spent" in report
    assert told(world) == ["budget_spent", "chain_spent"]
    await world.check()


async def test_mail_that_the_budget_leaves_unanswered_is_told_to_its_sender(worlds: Worlds) -> None:
    """On `branch` whoever writes is answered, also when nothing more may be asked."""
    world = worlds(policy=replace(BRANCH, tokens_max=1_000_000))
    a, b = await pair(world)
    await a.does(message(address(world, "b"), "please"))
    await b.answers(cost(call("nothing"), 1_000_000))
    await world.turn_end("b", 2)
    await a.says("asked")
    await world.quiesce()
    await world.prompt("a", "and?")
    answered = "\n".join(texts(await a.asked()))

    assert reason(world, "b", 2).startswith("chain_spent: ")
    assert "chain_spent" in answered
    await world.check()


async def test_a_turn_that_waited_for_what_is_spent_fails_for_that(worlds: Worlds) -> None:
    """Its mail wakes nobody any more, and whoever waits for the end of it all reads why."""
    world = worlds(policy=replace(BRANCH, tokens_max=1_000_000))
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    await a.does(spawn("dig", agent_id="b"))
    await b.says("dug")
    await world.turn_end("b")
    await a.answers(cost(spawn("dig on", agent_id="b"), 1_000_000))
    await world.quiesce()

    assert [reason(world, "a", nth).partition(":")[0] for nth in (1, 2)] == ["chain_spent", "chain_spent"]
    await world.check()


async def test_a_spent_chain_refuses_whoever_still_runs(worlds: Worlds) -> None:
    """Sends and spawns of an answer that came before another agent took the last of it."""
    world, gate = worlds(policy=replace(TREE, tokens_max=1_000_000)), Gate()

    async def hold(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        await gate.through()
        return ToolResult(text="held")

    world.tool("hold", hold, parallel=False)
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",), tools=("hold",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await root.starts(call("hold"), send(world.handle("b"), "too late"), delegate("b"))
    await gate.reached.wait()
    await b.answers(cost(say("all of it"), 1_000_000))
    await world.turn_end("b")
    gate.open()
    await world.turn_end("r")
    refused = [e.facts["code"] for e in world.events() if e.kind.endswith(".refused")]

    assert refused == ["chain_spent", "chain_spent"]
    assert len(world.views()) == 2
    await world.check()


async def test_money_is_bounded_as_tokens_are(worlds: Worlds) -> None:
    """`cost_micros_max`: a dollar is a million of them."""
    world = worlds(policy=replace(TREE, cost_micros_max=500_000))
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.answers(cost(call("nothing"), 10, 499_999))
    await root.asked()
    await root.answers(cost(call("nothing"), 10, 2))
    await world.turn_end("r")

    assert reason(world, "r") == "chain_spent: the budget of the chain is spent: $0.500001 of $0.50"
    await world.check()


async def test_an_answer_of_unknown_price_ends_what_has_a_budget_of_money(worlds: Worlds) -> None:
    """Nothing could bound it, so it goes on with nothing."""
    world = worlds(policy=replace(TREE, cost_micros_max=500_000))
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.answers(cost(call("nothing"), 10, None))
    await world.turn_end("r")

    assert reason(world, "r").startswith("price_unknown: ")
    await world.check()


async def test_resume_goes_on_with_nothing_that_is_spent(worlds: Worlds) -> None:
    """The person says something new instead, which begins a chain."""
    world = worlds(policy=replace(TREE, tokens_max=1_000_000))
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.answers(cost(call("nothing"), 1_000_000))
    await world.turn_end("r")

    with pytest.raises(Refused) as refused:
        await world.room.resume(world.view("r").session_id)

    assert refused.value.refusal_code == "chain_spent"
    await world.check()


def five(profile: str) -> ScriptedAnswer:
    """A round that makes five children."""
    return say("a batch", *(delegate(profile, f"child {n}") for n in range(5)))


@pytest.mark.parametrize("left", [10_000, 0, -500], ids=["10k left", "nothing left", "less than nothing"])
async def test_five_children_share_what_is_left(worlds: Worlds, left: int) -> None:
    """O-33: limit 100k; each call costs 4k and each child would make five. One fails, one is cancelled."""
    limit = 100_000
    world = worlds(policy=replace(TREE, tokens_max=limit, concurrency=30, waiting_max=60, depth_max=9))
    rounds = (cost(five("k"), limit - left), *[cost(say("waiting"), CALL)] * 9)
    world.agent("r", *rounds, may_message=EVERYBODY, delegates_to=("k",))
    world.agent("k", *[cost(five("k"), CALL)] * 50, may_message=EVERYBODY, delegates_to=("k",))
    await world.prompt("r", "begin")
    await world.quiesce()
    agents = len(world.views())
    calls = sum(len(world.requests(name)) for name in ("r", "k"))

    assert spent(world) == limit - left + CALL * (calls - 1)
    assert spent(world) <= limit + CALL * agents + max(-left, 0)
    if left <= 0:
        assert (agents, calls) == (1, 1)
        assert reason(world, "r").startswith("chain_spent: ")
    await world.check()


async def test_no_limit_is_the_only_one_that_bounds_nothing(worlds: Worlds) -> None:
    """O-33: limit 0 alone switches the guard off; the settings turn it into none."""
    world = worlds(policy=replace(TREE, tokens_max=None))
    root = world.puppet("r")
    await world.prompt("r", "begin")
    for _ in range(5):
        await root.answers(cost(call("nothing"), 10_000_000))
        await root.asked()
    root.rests()
    await world.check()


async def test_failed_cancelled_and_woken_children_are_counted_once(worlds: Worlds) -> None:
    """O-33: every call is one charge of its chain, whatever becomes of the turn."""
    world = worlds(policy=replace(TREE, tokens_max=1_000_000))
    root, f, c, w = await family(world, "f", "c", "w")
    await f.answers(cost(call("nothing"), CALL))
    await f.asked()
    await f.fails(ModelFault("broken"))
    await c.answers(cost(call("nothing"), CALL))
    await c.asked()
    await world.room.cancel(world.handle("c"))
    await w.answers(cost(say("done"), CALL))
    await world.turn_end("w")
    await root.does(send(world.handle("w"), "once more"))
    await w.answers(cost(say("again"), CALL))
    await world.turn_end("w", 2)
    charged = [e.facts for e in world.events("answer.committed")]

    assert spent(world) == sum(_tokens(facts) for facts in charged)
    assert sum(_tokens(facts) == CALL for facts in charged) == 4
    root.rests()
    await world.check()


def _tokens(facts: Mapping[str, Json]) -> int:
    read, written = facts["input_tokens"], facts["output_tokens"]
    assert isinstance(read, int)
    assert isinstance(written, int)
    return read + written
