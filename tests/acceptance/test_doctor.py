"""The doctor finds nothing in a store that went through everything: the log folds to the tables (G12)."""

import time
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.domain.policy import Policy
from postroom.errors import ModelFault, StoreReadOnly
from postroom.ids import SystemIds
from postroom.llm.port import ModelAnswer
from postroom.observe.doctor import examine, repair
from postroom.rules.fold import fold
from postroom.service.facts import AgentFacts
from postroom.service.say import Opening, Said, Text, say, say_new
from postroom.service.start import Started, start
from postroom.service.turns import commit_answer
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.workshop import Workshop
from postroom.testing.script import call, call_raw
from postroom.testing.world import World
from tests.acceptance.family import Worlds, delegate, family, send


def assert_healthy(world: World) -> None:
    """No finding, also none of the harmless ones, and the process that runs is left alone."""
    report = examine(world.folder)

    assert list(report.lines())[:-1] == []
    assert report.ok
    assert (report.counts.lost, report.counts.doubled) == (0, 0)


async def test_a_turn_with_calls_leaves_a_healthy_store(world: World) -> None:
    """G12: an unknown tool, broken arguments and an answer."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.does(call("nobody_has_this"), call_raw("neither_this", "{broken"))
    assert_healthy(world)
    await root.says("done")
    await world.quiesce()

    assert_healthy(world)
    assert examine(world.folder).counts.messages == 1
    assert examine(world.folder).counts.turns == 1


async def test_a_blank_answer_leaves_a_healthy_store(world: World) -> None:
    """G6: it leaves no node."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("  ")
    await world.quiesce()

    assert_healthy(world)


async def test_mail_that_joins_a_running_turn_leaves_a_healthy_store(world: World) -> None:
    """Both modes, a refusal, and a wake of a finished agent."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "steer"), send(world.handle("b"), "later", "queue"))
    await root.does(send(world.handle("b"), " "), send("nobody", "lost"))
    assert_healthy(world)
    await b.does(send(world.handle("r"), "answer"))
    await b.says("done")
    await b.asked()
    await b.says("read the queue")
    await world.rest()

    assert_healthy(world)


async def test_failed_turns_and_parked_mail_leave_a_healthy_store(world: World) -> None:
    """O-02: claimed mail is released and parked, and read with what comes next."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "unread"))
    await b.does(call("look"))
    await b.fails(ModelFault("no"))
    await world.turn_end("b")
    assert_healthy(world)
    await root.does(send(world.handle("b"), "again"))
    await b.fails(ModelFault("no"))
    await world.turn_end("b", 2)
    await world.rest()

    assert_healthy(world)


async def test_quarantined_mail_and_its_retry_leave_a_healthy_store(world: World) -> None:
    """O-12: five deaths."""
    root = world.puppet("r")
    await world.prompt("r", "poison")
    for attempt in range(5):
        await root.fails(ModelFault("no"))
        await world.turn_end("r", attempt + 1)
        if attempt < 4:
            await world.room.resume(world.view("r").session_id)
    assert_healthy(world)
    poison = next(e for e in world.events("message.accepted") if e.message_id)
    await world.room.retry(poison.message_id)
    await world.rest()

    assert_healthy(world)


async def test_a_stopped_and_resumed_tree_leaves_a_healthy_store(world: World) -> None:
    """G11"""
    root, b, _ = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "one"))
    await root.starts(call("get_subagent_result", session_id=world.handle("c"), wait=True))
    await world.event("turn.suspended")
    await b.starts(send(world.handle("c"), "two"))
    await world.room.stop(world.view("r").session_id)
    await world.quiesce()
    assert_healthy(world)
    await world.room.resume(world.view("r").session_id)
    await world.rest()

    assert_healthy(world)


async def test_a_cancelled_turn_leaves_a_healthy_store(world: World) -> None:
    """O-15: with a child in the foreground and one in the background."""
    root = world.puppet("r", delegates_to=("b", "c"))
    world.puppet("b")
    c = world.puppet("c")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await root.starts(delegate("c", background=False))
    await c.asked()
    await world.room.cancel(world.view("r").session_id)
    assert_healthy(world)
    await world.rest()

    assert_healthy(world)


async def test_a_batch_of_blocking_calls_leaves_a_healthy_store(world: World) -> None:
    """Two waits of one turn, and each result stands in the round that returned it."""
    root = world.puppet("r", delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False), delegate("c", background=False))
    await b.asked()
    await c.asked()
    assert_healthy(world)
    await b.says("from b")
    await world.event("call.ended")
    assert_healthy(world)
    await c.says("from c")
    await root.asked()
    assert_healthy(world)
    await root.says("done")
    await world.quiesce()

    assert_healthy(world)
    assert len(world.events("message.placed")) == 2


async def test_an_awaited_background_child_leaves_a_healthy_store(world: World) -> None:
    """Fetched while it runs, awaited, cancelled below."""
    root, b = await family(world, "b")
    await root.does(call("get_subagent_result", session_id=world.handle("b")))
    await root.starts(call("get_subagent_result", session_id=world.handle("b"), wait=True))
    await world.event("turn.suspended")
    await b.says("here")
    await root.asked()
    assert_healthy(world)
    await root.does(call("cancel_subagent", session_id=world.handle("b")))
    await world.rest()

    assert_healthy(world)


async def test_a_cancelled_child_leaves_a_healthy_store(world: World) -> None:
    """With mail that nobody has read."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "unread"))
    await root.does(call("cancel_subagent", session_id=world.handle("b")))
    assert_healthy(world)
    b.rests()
    await world.rest()

    assert_healthy(world)


async def test_the_round_cap_leaves_a_healthy_store(world: World) -> None:
    """G9: the calls of the last round are not executed."""
    root = world.puppet("r", max_rounds=2)
    await world.prompt("r", "begin")
    await root.does(call("look"))
    await root.starts(call("look"), call("look"))
    await world.turn_end("r")

    assert_healthy(world)


async def test_a_spent_chain_leaves_a_healthy_store(worlds: Worlds) -> None:
    """G9: mail that may wake nobody is parked, and its sender is told."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=2))
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "later", "queue"))
    await b.says("first")
    await world.turn_end("b")
    await world.rest()

    assert_healthy(world)


async def test_a_crash_and_a_restart_leave_a_healthy_store(world: World) -> None:
    """CK-36: before, and after what was cut is recovered."""
    root, b, c = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "one"))
    await root.starts(call("get_subagent_result", session_id=world.handle("b"), wait=True))
    await b.starts(delegate("c"), call("look"))
    await world.event("turn.suspended")
    await c.asked()
    await world.crash()
    assert examine(world.folder).ok
    await world.open()
    assert_healthy(world)
    await world.rest()

    assert_healthy(world)


async def test_the_log_of_one_session_folds_to_its_own_rows(world: World) -> None:
    """G12: alone, without the logs of the sessions around it."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "one"))
    await b.says("done")
    await world.rest()
    whole = fold(world.room.store.look(lambda tx: tx.events_after(0, 10_000)))

    for session in {row.session for row in whole.branches.values()}:
        events = world.room.store.look(lambda tx, s=session: tx.events_of_session(s, 0, 10_000))
        alone = fold(events)
        assert alone.breaks == []
        assert alone.branches == {k: r for k, r in whole.branches.items() if r.session == session}
        assert alone.turns == {k: r for k, r in whole.turns.items() if r.session == session}
        assert alone.deliveries == {k: r for k, r in whole.deliveries.items() if r.branch in alone.branches}


async def test_a_healthy_store_is_left_as_it_is_by_a_repair(world: World) -> None:
    """Nothing to mend, nothing to copy."""
    await family(world, "b")
    await world.rest()
    await world.close()
    pos = examine(world.folder).counts

    report = repair(world.folder)

    assert (report.ok, report.mended, report.backup) == (True, (), None)
    assert report.counts == pos
    assert not (world.folder / "backups").exists()


def test_a_folder_without_a_store_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="no store"):
        examine(tmp_path)
    with pytest.raises(StoreReadOnly, match="no store"):
        repair(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_an_examination_takes_time_in_proportion_to_the_log(tmp_path: Path) -> None:
    """Four times the log may take eight times as long on a busy machine, never sixteen times."""
    small, large = tmp_path / "small", tmp_path / "large"
    fill(small, turns=500)
    fill(large, turns=2_000)

    seconds = {folder: processor_s_of_examining(folder) for folder in (small, large)}

    assert examine(large).counts.turns == 2_000
    assert seconds[large] < 8 * seconds[small]
    assert seconds[large] < 5


def fill(folder: Path, *, turns: int) -> None:
    """Plain turns, ten events each, through the service and in one commit."""
    facts = AgentFacts(
        profile="p",
        rounds_max=None, window_tokens=10_000_000, reserve_tokens=0,
    )  # fmt: skip
    opening = Opening(team="", profile="p", policy=Policy(surface="tree"), title="", cwd="")

    def run(tx: Tx) -> None:
        said = say_new(tx, opening, Text(body="begin"))
        for n in range(turns):
            assert isinstance(said, Said)
            started = start(tx, said.ring.woken[0].turn, lambda *_: facts)
            assert isinstance(started, Started)
            commit_answer(tx, started.turn, ModelAnswer(text="done"), facts)
            said = say(tx, said.branch, Text(body=f"text {n}"))

    SqliteStore.open(folder, SystemClock(), SystemIds()).close()
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(run)


def processor_s_of_examining(folder: Path) -> float:
    """The best of three, so that a neighbour's burst does not count."""
    taken: list[float] = []
    for _ in range(3):
        began_s = time.process_time()
        assert examine(folder).ok
        taken.append(time.process_time() - began_s)
    return min(taken)


def test_an_empty_store_is_healthy(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, SystemClock(), SystemIds()).close()

    assert list(examine(tmp_path).lines()) == ["ok: 0 messages, 0 turns, lost 0, doubled 0"]
