"""The store contract: what `write`, `write_then` and `read` promise under true concurrency."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from postroom.domain.policy import Policy
from postroom.domain.turn import TurnState
from postroom.errors import IllegalMove, StaleFence, StoreClosed
from postroom.llm.port import ModelAnswer
from postroom.service.facts import AgentFacts
from postroom.service.say import Opening, Said, Text, say_new
from postroom.service.start import Started, start
from postroom.service.turns import commit_answer
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from tests.conformance.records import PATIENCE_S, Barrier, a_session, log, note, notes

FACTS = AgentFacts(
    profile="p",
    rounds_max=None, window_tokens=100_000, reserve_tokens=0,
)  # fmt: skip


async def test_many_writers_on_many_loops_all_commit(store: SqliteStore) -> None:
    session = await store.write(a_session)

    async def writer(name: int) -> None:
        await asyncio.gather(*(store.write(note, session, f"{name}.{n}") for n in range(100)))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: asyncio.run(writer(name)), range(4)))

    assert sorted(store.look(notes)) == sorted(f"{name}.{n}" for name in range(4) for n in range(100))


async def test_writes_that_wait_together_share_one_commit(store: SqliteStore) -> None:
    """One transaction, one fsync: a function of the batch already sees what another of it wrote."""
    session = await store.write(a_session)
    barrier, seen = Barrier(), set[int]()

    def look_and_note(tx: Tx, n: int) -> int:
        seen.add(id(tx))
        tx.notify_person(session, "note", str(n))
        return len(notes(tx))

    held = asyncio.ensure_future(store.write(barrier))
    await asyncio.to_thread(barrier.reached.wait, PATIENCE_S)
    waiting = asyncio.gather(*(store.write(look_and_note, n) for n in range(50)))
    await asyncio.sleep(0)
    barrier.open()

    assert await waiting == list(range(1, 51))
    assert len(seen) == 1
    await held


async def test_a_function_that_faults_takes_only_its_own_writes_along(store: SqliteStore) -> None:
    session = await store.write(a_session)
    barrier = Barrier()

    def note_and_fail(tx: Tx) -> None:
        tx.notify_person(session, "note", "never")
        raise IllegalMove("no")

    held = asyncio.ensure_future(store.write(barrier))
    await asyncio.to_thread(barrier.reached.wait, PATIENCE_S)
    good = [asyncio.ensure_future(store.write(note, session, f"good {n}")) for n in range(3)]
    bad = asyncio.ensure_future(store.write(note_and_fail))
    more = [asyncio.ensure_future(store.write(note, session, f"more {n}")) for n in range(3)]
    await asyncio.sleep(0)
    barrier.open()

    assert await asyncio.gather(*good, *more) == ["good 0", "good 1", "good 2", "more 0", "more 1", "more 2"]
    with pytest.raises(IllegalMove):
        await bad
    assert store.look(notes) == ["good 0", "good 1", "good 2", "more 0", "more 1", "more 2"]
    assert [e.seq for e in store.look(log)] == list(range(1, 8))
    await held


async def test_a_stale_fence_writes_nothing(store: SqliteStore) -> None:
    """G7"""
    opening = Opening(team="", profile="p", policy=Policy(surface="tree"), title="", cwd="")
    said = await store.write(say_new, opening, Text(body="begin"))
    assert isinstance(said, Said)
    started = await store.write(start, said.ring.woken[0].turn, lambda *_: FACTS)
    assert isinstance(started, Started)

    def end_it(tx: Tx) -> None:
        row = tx.turn_row(started.turn.key)
        assert row is not None
        tx.end_turn(row, TurnState.CANCELLED, "by another holder")

    await store.write(end_it)
    before = store.look(log)

    with pytest.raises(StaleFence):
        await store.write(commit_answer, started.turn, ModelAnswer(text="too late"), FACTS)
    assert store.look(log) == before


async def test_the_outcome_is_heard_although_the_caller_was_cancelled(store: SqliteStore) -> None:
    """What a commit has started is never orphaned."""
    session = await store.write(a_session)
    barrier, heard = Barrier(), list[str | None]()
    held = asyncio.ensure_future(store.write(barrier))
    await asyncio.to_thread(barrier.reached.wait, PATIENCE_S)

    caller = asyncio.ensure_future(store.write_then(heard.append, note, session, "done"))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    barrier.open()
    await held
    await store.write(note, session, "after")

    assert heard == ["done"]
    assert store.look(notes) == ["done", "after"]


async def test_a_fault_is_heard_as_nothing(store: SqliteStore) -> None:
    heard = list[None]()

    def fail(_: Tx) -> None:
        raise IllegalMove("no")

    with pytest.raises(IllegalMove):
        await store.write_then(heard.append, fail)

    assert heard == [None]


async def test_numbers_have_no_gap_and_positions_follow_the_commits(store: SqliteStore) -> None:
    """G12: also across faults, which take their numbers back."""
    sessions = [await store.write(a_session) for _ in range(5)]

    def fail(tx: Tx, session: int) -> None:
        note(tx, session, "never")
        raise IllegalMove("no")

    writes = [store.write(note, sessions[n % 5], str(n)) for n in range(200)]
    faults = [store.write(fail, sessions[n % 5]) for n in range(10)]
    outcomes = await asyncio.gather(*writes[:100], *faults, *writes[100:], return_exceptions=True)
    events = store.look(log)

    assert sum(isinstance(o, IllegalMove) for o in outcomes) == 10
    for session in sessions:
        assert [e.seq for e in events if e.session == session] == list(range(1, 42))
    assert [e.pos for e in events] == list(range(1, 206))


async def test_who_follows_the_log_misses_nothing(store: SqliteStore) -> None:
    """A position that was seen is never followed by an older one."""
    session = await store.write(a_session)
    followed: list[int] = []
    done = threading.Event()

    def follow() -> None:
        while True:
            last = done.is_set()
            after = followed[-1] if followed else 0
            followed.extend(e.pos for e in store.look(Tx.events_after, after, 7))
            if last and followed[-1] == 301:
                return

    follower = asyncio.to_thread(follow)
    following = asyncio.ensure_future(follower)
    await asyncio.gather(*(store.write(note, session, str(n)) for n in range(300)))
    done.set()
    await following

    assert followed == list(range(1, 302))


async def test_readers_see_only_what_is_committed(store: SqliteStore) -> None:
    session = await store.write(a_session)
    barrier = Barrier(lambda tx: note(tx, session, "in flight"))
    held = asyncio.ensure_future(store.write(barrier))
    await asyncio.to_thread(barrier.reached.wait, PATIENCE_S)

    assert await store.read(notes) == []
    barrier.open()
    await held
    assert await store.read(notes) == ["in flight"]


async def test_a_reader_stays_on_its_snapshot(store: SqliteStore) -> None:
    session = await store.write(a_session)
    first_look, go_on = threading.Event(), threading.Event()

    def look_twice(tx: Tx) -> tuple[list[str], list[str]]:
        before = notes(tx)
        first_look.set()
        assert go_on.wait(PATIENCE_S)
        return before, notes(tx)

    reading = asyncio.ensure_future(store.read(look_twice))
    await asyncio.to_thread(first_look.wait, PATIENCE_S)
    await store.write(note, session, "meanwhile")
    go_on.set()

    assert await reading == ([], [])


async def test_the_doorbell_rings_after_a_commit(store: SqliteStore) -> None:
    listener = store.doorbell.listen()
    await store.write(a_session)

    assert listener.is_set()
    store.doorbell.leave(listener)


async def test_what_waits_is_finished_when_the_store_is_closed(store: SqliteStore) -> None:
    session = await store.write(a_session)
    waiting = [asyncio.ensure_future(store.write(note, session, str(n))) for n in range(20)]
    await asyncio.sleep(0)
    store.close()

    assert await asyncio.gather(*waiting) == [str(n) for n in range(20)]
    with pytest.raises(StoreClosed):
        await store.write(note, session, "too late")


async def test_a_closed_store_says_so(store: SqliteStore) -> None:
    store.close()

    with pytest.raises(StoreClosed):
        await store.write(a_session)
    with pytest.raises(StoreClosed):
        await store.read(notes)
    with pytest.raises(StoreClosed):
        store.look(notes)


async def test_a_repeated_id_of_a_client_is_found_and_not_stored_twice(store: SqliteStore) -> None:
    """CK-11 at the level of the store: 64 copies of one prompt at once are one message."""
    opening = Opening(team="", profile="p", policy=Policy(surface="tree"), title="", cwd="")
    text = Text(body="once", client_id="c1")
    said = await asyncio.gather(*(store.write(say_new, opening, text) for _ in range(64)))

    assert len({s.receipt.message_id for s in said if isinstance(s, Said)}) == 1
    assert sum(e.kind == "message.accepted" for e in store.look(log)) == 1
