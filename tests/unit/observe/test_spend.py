"""What answers cost is booked with them, by agent, chain and day, and the log gives the same sums."""

from postroom.llm.port import ModelAnswer, ModelRequest, Usage
from postroom.testing.clock import FakeClock
from postroom.testing.script import Play, say
from postroom.testing.world import World
from tests.acceptance.family import delegate

DAY_S = 86_400.0


def priced(text: str, cost_micros: int | None) -> Play:
    """A round with its usage said outright."""

    async def play(_request: ModelRequest) -> ModelAnswer:
        usage = Usage(
            input_tokens=1_000, output_tokens=10, cache_read_tokens=900, cache_write_tokens=50,
            cost_micros=cost_micros,
        )  # fmt: skip
        return ModelAnswer(text=text, usage=usage, provider="test")

    return play


async def test_each_answer_is_booked_by_agent_chain_and_day(world: World) -> None:
    world.agent("r", priced("one", 500), priced("two", None))
    first = await world.prompt("r", "First question, please")
    await world.quiesce()
    assert isinstance(world.clock, FakeClock)
    await world.prompt("r", "Second question")
    await world.quiesce()
    await world.clock.advance(DAY_S)
    await world.prompt_new("r", "Elsewhere")
    await world.quiesce()

    agents = await world.room.spend("agent")
    chains = await world.room.spend("chain", session=first.session_id)
    days = await world.room.spend("day")

    assert [(a.rounds, a.input_tokens, a.cost_micros, a.unpriced) for a in agents] == [
        (1, 1_000, 500, 0),  # the newest conversation plays the script from its start
        (2, 2_000, 500, 1),
    ]
    assert [(c.title, c.rounds, c.cost_micros, c.unpriced) for c in chains] == [
        ("Second question", 1, 0, 1),
        ("First question, please", 1, 500, 0),
    ]
    assert [d.rounds for d in days] == [1, 2]
    assert days[0].key > days[1].key
    assert days[1].cache_read_tokens == 1_800
    await world.check()


async def test_a_child_spends_in_the_chain_of_its_parent(world: World) -> None:
    world.agent("r", delegate("k", background=False), say("done"), delegates_to=["k"])
    world.agent("k", priced("mine", 40))
    prompt = await world.prompt("r", "Ask the child")
    await world.quiesce()

    [chain] = await world.room.spend("chain")
    agents = {view.title.partition("_")[0]: view for view in await world.room.spend("agent")}
    [of_tree] = await world.room.spend("day", session=prompt.session_id)

    assert chain.rounds == 3
    assert chain.cost_micros == of_tree.cost_micros == agents["k"].cost_micros == 40
    assert agents["r"].rounds == 2
    await world.check()


async def test_a_store_without_an_answer_has_no_bill(world: World) -> None:
    world.agent("r", say("ok"))
    await world.open()

    bills = [await world.room.spend(by) for by in ("agent", "chain", "day")]

    assert bills == [[], [], []]
    await world.check()
