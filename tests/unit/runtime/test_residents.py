"""Which conversations stay in memory between two turns (CK-36, O-10)."""

import pytest

from postroom.domain.keys import BranchKey, NodeKey
from postroom.domain.policy import Policy
from postroom.llm.port import UserItem
from postroom.runtime.residents import RESIDENT_ITEMS_MAX, Residents
from postroom.runtime.transcript import Transcript
from postroom.testing.clock import FakeClock
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds, delegate, family, send

HEAD = NodeKey(8)


def made(n_items: int = 4) -> Transcript:
    transcript = Transcript()
    transcript.items = [UserItem(text="a word")] * n_items
    transcript.head = HEAD
    return transcript


def residents(clock: FakeClock | None = None, *, most: int = 20) -> Residents:
    return Residents(clock or FakeClock(), Policy(surface="tree", resident_subagents_max=most))


def test_a_conversation_is_taken_once_and_only_up_to_the_head_it_has() -> None:
    kept, branch, one = residents(), BranchKey(1), made()

    kept.keep(branch, one)
    taken = kept.take(branch, HEAD)
    again = kept.take(branch, HEAD)
    kept.keep(branch, one)
    stale = kept.take(branch, NodeKey(9))

    assert taken is one
    assert again is None
    assert stale is None
    assert kept.take(BranchKey(2), None) is None


def test_only_the_conversations_used_last_stay_in_memory() -> None:
    """O-10: finished agents do not fill the memory."""
    kept, one = residents(), made(8)
    fitting = RESIDENT_ITEMS_MAX // len(one.items)

    for number in range(fitting):
        kept.keep(BranchKey(number), one)
    assert kept.take(BranchKey(0), HEAD) is one
    kept.keep(BranchKey(0), one)
    kept.keep(BranchKey(fitting), one)

    assert kept.take(BranchKey(1), HEAD) is None
    assert kept.take(BranchKey(0), HEAD) is one


def test_a_conversation_longer_than_the_memory_for_all_stays_until_the_next_one() -> None:
    kept, long, short = residents(), made(RESIDENT_ITEMS_MAX + 1), made()

    kept.keep(BranchKey(1), long)
    assert kept.take(BranchKey(1), HEAD) is long
    kept.keep(BranchKey(1), long)
    kept.keep(BranchKey(2), short)

    assert kept.take(BranchKey(1), HEAD) is None
    assert kept.take(BranchKey(2), HEAD) is short


async def test_of_too_many_children_the_one_used_longest_ago_goes_and_no_root() -> None:
    """systems.md 3.7: a soft limit for children only."""
    kept = residents(most=2)
    kept.keep(BranchKey(9), made())
    for number in (1, 2, 3):
        kept.keep(BranchKey(number), made(), is_child=True)

    assert kept.n_children == 2
    assert [kept.take(BranchKey(b), HEAD) is not None for b in (1, 2, 3, 9)] == [False, True, True, True]
    kept.close()


async def test_a_child_that_stands_in_line_stays_whatever_the_limit_says() -> None:
    """Never a child whose turn waits: it would be read again at once."""
    kept = residents(most=1)
    kept.stands_in_line(BranchKey(1))
    kept.keep(BranchKey(1), made(), is_child=True)
    kept.keep(BranchKey(2), made(), is_child=True)
    while_in_line = kept.n_children
    kept.keep(BranchKey(3), made(), is_child=True)
    kept.left_line(BranchKey(1))

    assert while_in_line == 1
    assert kept.take(BranchKey(1), HEAD) is not None
    kept.close()


async def test_a_child_goes_after_an_hour_and_a_root_does_not() -> None:
    """`idle_eviction_s`, by the monotonic clock: a wall clock that is set moves nothing."""
    clock = FakeClock()
    kept = residents(clock)
    kept.keep(BranchKey(9), made())
    kept.keep(BranchKey(1), made(), is_child=True)
    await clock.advance(1_800)
    kept.keep(BranchKey(2), made(), is_child=True)
    clock.step_wall(1_000_000)
    await clock.advance(1_799)
    before = kept.n_children
    await clock.advance(1)
    after_an_hour = kept.n_children
    await clock.advance(1_800)

    assert (before, after_an_hour, kept.n_children) == (2, 1, 0)
    assert len(kept) == 1
    kept.close()


async def test_one_task_sleeps_while_a_child_is_in_memory_and_none_without_one() -> None:
    """product.md, Times: one sleeping task, none when nothing is due."""
    clock = FakeClock()
    kept = residents(clock)
    kept.keep(BranchKey(9), made())
    roots_only = await asleep(clock)
    for number in range(3):
        kept.keep(BranchKey(number), made(), is_child=True)
    with_children = await asleep(clock)
    for number in range(3):
        kept.take(BranchKey(number), HEAD)

    assert (roots_only, with_children, await asleep(clock)) == (0, 1, 0)


async def asleep(clock: FakeClock) -> int:
    await clock.advance(0.001)
    return clock.sleepers


@pytest.mark.parametrize("why", ["idle", "too many"])
async def test_a_child_that_is_not_in_memory_is_reopened_by_a_send(worlds: Worlds, why: str) -> None:
    """CK-36: its next request goes on where the last one ended, and the log says nothing of it."""
    world = worlds(policy=Policy(surface="tree", resident_subagents_max=0 if why == "too many" else 20))
    root, b = await family(world, "b")
    await b.says("my first answer")
    await world.turn_end("b")
    before = len(world.events())
    if isinstance(world.clock, FakeClock):
        await world.clock.advance(3_600)
    evicted = world.room.residents.n_children
    unlogged = len(world.events()) == before

    await root.does(send(world.handle("b"), "one more thing"))
    request = await b.asked()

    assert evicted == 0
    assert unlogged
    assert "my first answer" in texts(request)
    assert "one more thing" in texts(request)[-1]
    await world.check()


async def test_children_that_wait_in_line_or_for_somebody_are_not_forgotten(world: World) -> None:
    """A suspended turn has its conversation in hand; the clock does not take it away."""
    root = world.puppet("r", delegates_to=("b",))
    b, k = world.puppet("b", delegates_to=("k",)), world.puppet("k")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.starts(delegate("k", background=False))
    await k.asked()
    if isinstance(world.clock, FakeClock):
        await world.clock.advance(7_200)
    await k.says("the grandchild's word")

    assert "the grandchild's word" in texts(await b.asked())[-1]
    await world.check()
