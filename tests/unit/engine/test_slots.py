"""Slots: never more than there are, first come, first served, and none is lost with who waited for it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.engine.slots import Slots


async def settle() -> None:
    """Let every task that can run do so; a hand-over takes two turns of the loop."""
    for _ in range(5):
        await asyncio.sleep(0)


class Crowd:
    """Tasks that want a slot, numbered as they came, and what became of each."""

    def __init__(self, size: int) -> None:
        self.slots = Slots(size)
        self.line: list[int] = []
        self.holders: list[int] = []
        self.served: list[int] = []
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def comes(self) -> None:
        """One more asks for a slot and takes it or stands in line."""
        number = len(self._tasks)
        self._tasks[number] = asyncio.create_task(self._wants(number))
        await asyncio.sleep(0)
        if number not in self.holders:
            self.line.append(number)

    async def _wants(self, number: int) -> None:
        await self.slots.take()
        self.holders.append(number)
        self.served.append(number)
        if number in self.line:
            self.line.remove(number)

    def gives(self, holder: int) -> None:
        """A holder gives its slot back."""
        self.holders.remove(holder)
        self.slots.give()

    def leaves(self, waiter: int) -> None:
        """One in line is cancelled; it has not run again when this returns."""
        self._tasks[waiter].cancel()
        self.line.remove(waiter)

    async def ended(self) -> list[BaseException | None]:
        """How every task ended, after all of them have."""
        for task in self._tasks.values():
            if not task.done():
                task.cancel()
        found = await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        return [f if isinstance(f, BaseException) else None for f in found]


async def crowd(size: int, comers: int) -> Crowd:
    made = Crowd(size)
    for _ in range(comers):
        await made.comes()
    return made


async def test_as_many_as_there_are_slots_hold_one_at_once() -> None:
    made = await crowd(2, 5)

    assert made.holders == [0, 1]
    assert made.line == [2, 3, 4]
    assert made.slots.held == 2
    await made.ended()


async def test_a_slot_that_is_given_back_goes_to_the_first_in_line() -> None:
    made = await crowd(1, 4)

    for holder in range(3):
        made.gives(holder)
        await settle()

    assert made.served == [0, 1, 2, 3]
    assert made.slots.held == 1
    await made.ended()


async def test_nobody_who_only_tries_overtakes_the_line() -> None:
    made = await crowd(1, 2)

    made.gives(0)
    tried_before_the_first_has_run = made.slots.try_take()
    await settle()

    assert not tried_before_the_first_has_run
    assert made.holders == [1]
    await made.ended()


async def test_trying_takes_a_free_slot_and_only_a_free_one() -> None:
    slots = Slots(2)

    assert [slots.try_take(), slots.try_take(), slots.try_take()] == [True, True, False]
    slots.give()
    assert slots.try_take()
    assert slots.held == 2


async def test_who_leaves_the_line_gives_its_place_to_the_next() -> None:
    made = await crowd(1, 3)

    made.leaves(1)
    await settle()
    made.gives(0)
    await settle()

    assert made.holders == [2]
    await made.ended()


async def test_a_slot_handed_to_one_who_is_cancelled_goes_on_to_the_next() -> None:
    made = await crowd(1, 3)

    made.gives(0)
    made.leaves(1)
    await settle()

    assert made.holders == [2]
    assert made.slots.held == 1
    await made.ended()


async def test_a_slot_given_while_a_waiter_is_being_cancelled_passes_it_by() -> None:
    """The waiter still stands in line then; it must end as cancelled and as nothing else."""
    made = await crowd(1, 3)

    made.leaves(1)
    made.gives(0)
    await settle()

    assert made.holders == [2]
    assert [type(e) for e in await made.ended()] == [type(None), asyncio.CancelledError, type(None)]


async def test_the_last_slot_comes_back_when_the_whole_line_has_gone() -> None:
    made = await crowd(1, 3)

    made.leaves(1)
    made.leaves(2)
    made.gives(0)
    await settle()

    assert made.slots.held == 0
    assert made.slots.try_take()
    await made.ended()


async def _plays(made: Crowd, number: int, pick: int) -> None:
    """One step of a schedule; a step that nobody can take is left out."""
    if number == 0:
        await made.comes()
    elif number == 1 and made.holders:
        made.gives(made.holders[pick % len(made.holders)])
    elif number == 2 and made.line:
        made.leaves(made.line[pick % len(made.line)])
    elif number == 3 and made.slots.try_take():
        made.slots.give()
    elif number == 4:
        await settle()


def _runs(play: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await play()

    asyncio.run(main())


@given(size=st.integers(1, 3), steps=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=30))
def test_whatever_the_schedule_no_slot_is_lost_and_none_is_doubled(
    size: int, steps: list[tuple[int, int]]
) -> None:
    """O-20, I7."""

    async def play() -> None:
        made = Crowd(size)
        for number, pick in steps:
            await _plays(made, number, pick)
            assert len(made.holders) <= made.slots.held <= size
        await settle()
        assert made.slots.held == len(made.holders)
        assert not made.line or len(made.holders) == size, "a slot is free although somebody waits"
        assert made.served == sorted(made.served), "somebody was overtaken"
        kept = len(made.holders)
        assert {type(e) for e in await made.ended()} <= {type(None), asyncio.CancelledError}
        assert made.slots.held == kept

    _runs(play)


@pytest.mark.parametrize("size", [1, 4])
async def test_a_new_set_of_slots_is_free(size: int) -> None:
    assert Slots(size).held == 0
