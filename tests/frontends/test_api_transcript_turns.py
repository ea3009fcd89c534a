"""How turns end in a transcript, and what the head of one says."""

from postroom.domain.plain import Json
from postroom.errors import ModelQuota
from postroom.store.tx import Tx
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from tests.acceptance.family import delegate, family
from tests.frontends.transcripts import heading_of, kinds, of, page_of, parts, rows_in, rows_of


async def test_a_failed_turn_tells_the_code_the_cause_and_what_to_do(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.fails(ModelQuota("the account is empty"))
    await world.turn_end("r")

    end = of(rows_of(world, "r"), "turn_end")
    assert (end["state"], end["code"], end["cause"]) == ("failed", "model_quota", "the account is empty")
    assert end["remedy"]
    text = parts(of(rows_of(world, "r"), "text"))[0]
    assert (text["state"], text["parked"]) == ("accepted", True)
    await world.check()


async def test_a_turn_that_its_process_has_left_says_so(world: World) -> None:
    """CK-35: what it called may have taken effect."""
    never = Gate()
    world.slow_tool("dig", never)
    root = world.puppet("r", tools=("dig",))
    await world.prompt("r", "begin")
    await root.starts(call("dig"))
    await never.reached.wait()
    await world.crash()
    await world.open()

    rows = rows_of(world, "r")
    end = of(rows, "turn_end")
    assert (end["state"], end["code"]) == ("interrupted", "interrupted")
    (made,) = parts(of(rows, "calls"), "calls")
    assert (made["ended_by"], made["is_error"]) == ("interrupted", True)
    await world.check()


async def test_a_conversation_that_is_taken_back_shows_no_end_of_a_turn_that_is_gone(world: World) -> None:
    """Only what stands on the path is told; what a revert leaves has a transcript of its own."""
    root = world.puppet("r")
    first = await world.prompt("r", "one")
    await root.says("first")
    await world.quiesce()
    await world.prompt("r", "two")
    await root.says("second")
    await world.quiesce()
    before = rows_of(world, "r")
    await world.room.revert(first.session_id, str(of(before, "turn_end")["turn_id"]))

    assert rows_of(world, "r") == before[:3]
    sealed = str(world.events("branch.reverted")[0].facts["sealed"])
    left = world.room.store.look(_left, int(sealed))
    assert [row["id"] for row in rows_in(left)] == [row["id"] for row in before]
    assert isinstance(left, dict)
    agent = left["agent"]
    assert isinstance(agent, dict)
    assert agent["sealed"] is True
    await world.check()


def _left(tx: Tx, branch: int) -> Json:
    return page_of(tx, tx.branch_public_id(branch), {})


async def test_a_fork_shows_what_it_shares_as_it_was_read_and_nothing_of_an_end_behind_it(
    world: World,
) -> None:
    root, _ = await family(world, "b")
    session = world.view("r").session_id
    await world.room.stop(session)
    await world.quiesce()
    fork = await world.room.fork(session, "1")

    shared = rows_in(world.room.store.look(page_of, fork.session_id, {}))
    assert kinds(shared) == ["text"]
    assert parts(shared[0])[0]["state"] == "consumed"
    root.rests()
    await world.check()


async def test_a_turn_that_left_nothing_in_the_conversation_is_told_where_it_was(world: World) -> None:
    """A turn that only read again what stood there, and failed, between two that have said something."""
    root = world.puppet("r")
    await world.prompt("r", "one")
    await root.says("first")
    await world.quiesce()
    await world.prompt("r", "two")
    await root.fails(ModelQuota("empty"))
    await world.turn_end("r", 2)
    await world.room.resume(world.view("r").session_id)
    await root.fails(ModelQuota("empty still"))
    await world.turn_end("r", 3)
    await world.prompt("r", "three")
    await root.says("last")
    await world.quiesce()

    rows = rows_of(world, "r")
    ends = [row["cause"] for row in rows if row["kind"] == "turn_end"]
    assert ends == ["", "empty", "empty still", ""]
    newest = rows_of(world, "r", limit=1)
    page = world.room.store.look(page_of, world.view("r").branch_id, {"limit": 1})
    assert isinstance(page, dict)
    older = page["older"]
    assert isinstance(older, int)
    earlier = rows_of(world, "r", before=older)
    assert [row["id"] for row in [*earlier, *newest]] == [row["id"] for row in rows]
    await world.check()


async def test_the_heading_says_what_the_agent_does_now_and_for_whom_it_waits(world: World) -> None:
    """OP-9: beside its state, what it has cost, and what waits for it."""
    root, child = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.asked()
    asks = heading_of(world, "r")
    await root.starts(delegate("b", "work", background=False))
    await world.event("turn.suspended", agent="r")
    await child.asked()
    waits, works = heading_of(world, "r"), heading_of(world, "b")

    assert (asks["state"], asks["doing"]) == ("running", {"what": "model", "tools": [], "waits_for": []})
    assert waits["doing"] == {
        "what": "waits", "tools": ["delegate_subagent"], "waits_for": [world.handle("b")],
    }  # fmt: skip
    made_by = works["made_by"]
    assert isinstance(made_by, dict)
    assert made_by["name"] == "r"
    await world.check()
