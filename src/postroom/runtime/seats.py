"""Seats: a turn's hold on a slot, and which slots those are.

Turns share the slots of their tree, or of the whole process, as their policy says; what the person's own
text opens in a session of the second kind stands in no line.
"""

from collections.abc import Callable

from postroom.engine.slots import Slots
from postroom.service.facts import Pool, Waiting
from postroom.service.start import Started

_WITHOUT_END = 2**31


class TurnSeat:
    """A turn's hold on the slots that it runs on; gives back exactly what it took."""

    def __init__(self, slots: Slots, second: Slots, adopt: Callable[[Started], None]) -> None:
        self._slots = slots
        self._second = second
        self._held = False
        self._adopt = adopt
        self.was_taken = False
        """Whether the turn ever had a slot."""

    def hold(self) -> None:
        """The slot was taken for this turn already."""
        self._held = self.was_taken = True

    async def take(self) -> None:
        """Wait for a slot. Two calls of one batch may wait at once: the turn keeps one slot."""
        if self._held:
            return
        await self._slots.take()
        if self._held:
            self._slots.give()
        self.hold()

    def take_free(self) -> None:
        """Take a slot if one is free."""
        if not self._held and self._slots.try_take():
            self.hold()

    def give(self) -> None:
        """Give the slot back. Idempotent."""
        if self._held:
            self._held = False
            self._slots.give()

    def adopt(self, started: Started) -> None:
        """Run a turn that a send of this one has started, on the second slot."""
        self._adopt(started)

    def try_second(self) -> bool:
        """Take a slot of those on which the recipient of a send would run, if one is free."""
        return self._second.try_take()

    def give_second(self) -> None:
        """Give the second slot back unused."""
        self._second.give()


class Pools:
    """All slots of a process."""

    def __init__(self, workers: int | None) -> None:
        self._workers = workers
        self._trees: dict[int, Slots] = {}
        self._process: Slots | None = None
        self._free = Slots(_WITHOUT_END)

    @property
    def held(self) -> int:
        """How many slots are taken; none when nothing runs."""
        shared = 0 if self._process is None else self._process.held
        return sum(slots.held for slots in self._trees.values()) + shared + self._free.held

    def of(self, waiting: Waiting) -> tuple[Slots, Slots]:
        """What the turn runs on, and what the turns run on that its sends start."""
        if waiting.pool is Pool.TREE:
            slots = self._trees.setdefault(waiting.root, Slots(waiting.concurrency))
            return slots, slots
        if self._process is None:
            self._process = Slots(self._workers or waiting.concurrency)
        return (self._free if waiting.pool is Pool.NONE else self._process), self._process
