"""When turns run: slot first, then the boundary, then the model.

With the slot last, mail would sit claimed and requests would freeze while turns queue. A waiting turn
is a task in line for a slot of its tree; ten thousand idle agents are nothing at all.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine

from postroom.domain.keys import TurnKey
from postroom.domain.turn import EndedBy, TurnState
from postroom.engine.slots import Slots
from postroom.errors import StoreFault
from postroom.runtime.agents import Agents
from postroom.runtime.means import Means
from postroom.runtime.turn import TurnRunner
from postroom.service.close import Ending
from postroom.service.facts import Ring, Waiting
from postroom.service.recovery import Kept
from postroom.service.start import Started
from postroom.service.stops import STOPPED

STOP_GRACE_S = 30.0
"""How long the tools of a stopped turn may still work (product.md section 4, Stop)."""
_CANCELLED = Ending(state=TurnState.CANCELLED, reason="its runner was cancelled", ended_by=EndedBy.CANCEL)


class TreeSeat:
    """A turn's hold on the slots of its tree; gives back exactly what it took."""

    def __init__(self, slots: Slots, adopt: Callable[[Started], None]) -> None:
        self._slots = slots
        self._held = False
        self._adopt = adopt
        self.was_taken = False
        """Whether the turn ever had a slot."""

    def hold(self) -> None:
        """The slot was taken for this turn already."""
        self._held = self.was_taken = True

    async def take(self) -> None:
        """Wait for a slot of the tree. Two calls of one batch may wait at once: the turn keeps one slot."""
        await self._slots.take()
        if self._held:
            self._slots.give()
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
        """Take a second slot if one is free."""
        return self._slots.try_take()

    def give_second(self) -> None:
        """Give the second slot back unused."""
        self._slots.give()


class Scheduler:
    """Every waiting and running turn of this process. All of it on one event loop."""

    def __init__(self, means: Means, agents: Agents) -> None:
        self._means = means
        self._agents = agents
        self._slots: dict[int, Slots] = {}
        # Who may change these: only methods of this class, on the loop; a turn is in one of the two.
        self._tasks: dict[TurnKey, asyncio.Task[None]] = {}
        self._runners: dict[TurnKey, TurnRunner] = {}
        # Turns whose tools have been given time to end, each with what ends it after that.
        self._graces: dict[TurnKey, asyncio.Task[None]] = {}
        self._closing = False
        self.on_idle: Callable[[], None] = lambda: None
        self.idle = asyncio.Event()
        self.idle.set()

    @property
    def is_in_tools(self) -> bool:
        """Whether a foreign tool runs for some turn now."""
        return any(runner.tools_at_work for runner in self._runners.values())

    def ring(self, ring: Ring) -> None:
        """Look at what a commit changed. Ringing twice for the same turn is harmless."""
        for turn in ring.ended:
            self._drop(turn)
        for turn in ring.stopping:
            self._stop_soon(turn)
        self._answer_waits(ring)
        self._means.works.halt(ring.halted)
        for waiting in ring.woken:
            if not self._closing and waiting.turn not in self._tasks:
                slots = self._slots.setdefault(waiting.root, Slots(waiting.concurrency))
                seat = self._seat(waiting.root, slots)
                self._means.residents.stands_in_line(waiting.branch)
                task = self._launch(waiting.turn, self._run_waiting(waiting, seat), seat)
                task.add_done_callback(functools.partial(self._left_line, waiting, seat))

    def _answer_waits(self, ring: Ring) -> None:
        for turn in ring.answered:
            if (runner := self._runners.get(turn)) is not None:
                runner.answer_waits()
        for turn, call in ring.decided:
            if (runner := self._runners.get(turn)) is not None:
                runner.answer_wait(call)

    def adopt(self, root: int, started: Started) -> None:
        """Run a turn that was started in a sender's commit, on a slot that is already taken."""
        seat = self._seat(root, self._slots[root])
        seat.hold()
        self._launch(started.turn.key, self._run(started, seat), seat)

    def go_on(self, kept: Kept) -> None:
        """Hold a turn that waits for the person; it stands in line for a slot when it need not any more."""
        waiting = kept.waiting
        slots = self._slots.setdefault(waiting.root, Slots(waiting.concurrency))
        seat = self._seat(waiting.root, slots)
        self._launch(waiting.turn, self._run(kept.started, seat), seat)

    async def close(self) -> None:
        """End what runs as interrupted, so that the next start goes on at once. Idempotent."""
        self._closing = True
        for runner in list(self._runners.values()):
            await self._interrupt(runner)
        while tasks := list(self._tasks.values()):  # a send that commits meanwhile may start one more
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _interrupt(self, runner: TurnRunner) -> None:
        runner.ended_outside = True
        await self._at_once(self._means.office.close_turn(runner.key))

    async def _at_once(self, write: Awaitable[None]) -> None:
        """Without patience: a store that cannot be written leaves the turn to the next start's recovery."""
        try:
            await write
        except StoreFault as fault:
            self._means.office.on_pause(fault)

    def runs(self, turn: TurnKey) -> bool:
        """Whether this process runs the turn now."""
        return turn in self._runners

    def _stop_soon(self, turn: TurnKey) -> None:
        """Tools get their time; a turn that is not in its tools any more ends at once."""
        if (runner := self._runners.get(turn)) is not None and turn not in self._graces:
            runner.stopping = True
            grace_s = STOP_GRACE_S if runner.in_calls else 0.0
            self._graces[turn] = asyncio.get_running_loop().create_task(self._stop_after(turn, grace_s))

    async def _stop_after(self, turn: TurnKey, grace_s: float) -> None:
        if grace_s:
            await self._means.clock.sleep_s(grace_s)
        await self._means.office.end(turn, STOPPED)
        self._drop(turn)

    def slots_held(self) -> int:
        """How many slots of all trees are taken; none when nothing runs."""
        return sum(slots.held for slots in self._slots.values())

    def _launch(
        self, turn: TurnKey, work: Coroutine[object, object, None], seat: TreeSeat
    ) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=f"turn-{turn}")
        self._tasks[turn] = task
        self.idle.clear()
        task.add_done_callback(lambda _: self._forget(turn, seat))
        return task

    def _left_line(self, waiting: Waiting, seat: TreeSeat, task: asyncio.Task[None]) -> None:
        """If somebody cancelled the task in line and not the turn, it stands in line again."""
        self._means.residents.left_line(waiting.branch)
        if task.cancelled() and not seat.was_taken:
            self.ring(Ring(woken=[waiting]))

    def _forget(self, turn: TurnKey, seat: TreeSeat) -> None:
        """Here and not in the task: one that is cancelled before its first step runs none of its lines."""
        seat.give()
        self._tasks.pop(turn, None)
        self._runners.pop(turn, None)
        if (grace := self._graces.pop(turn, None)) is not None:
            grace.cancel()
        if not self._tasks:
            self.idle.set()
            self.on_idle()

    def _drop(self, turn: TurnKey) -> None:
        """The turn was ended from outside: its runner has nothing left to write."""
        if (runner := self._runners.get(turn)) is not None:
            runner.ended_outside = True
        if (task := self._tasks.get(turn)) is not None and task is not asyncio.current_task():
            task.cancel()

    async def _run_waiting(self, waiting: Waiting, seat: TreeSeat) -> None:
        await seat.take()
        self._agents.refresh()
        try:
            started = await self._means.office.start(waiting.turn)
        except asyncio.CancelledError:
            # The start may still commit; this write comes after it in the one queue, so no turn stays
            # open that nobody runs.
            office, turn = self._means.office, waiting.turn
            end = office.close_turn(turn) if self._closing else office.end_now(turn, _CANCELLED)
            await self._at_once(end)
            raise
        if isinstance(started, Started):
            await self._run(started, seat)

    async def _run(self, started: Started, seat: TreeSeat) -> None:
        agent = self._agents.find(started.team, started.profile)
        assert agent is not None  # noqa: S101 -- its facts were found in the start transaction
        runner = TurnRunner(self._means, started, agent, seat)
        self._runners[started.turn.key] = runner
        if self._closing:
            await self._interrupt(runner)
        else:
            await runner.run()

    def _seat(self, root: int, slots: Slots) -> TreeSeat:
        return TreeSeat(slots, lambda started: self.adopt(root, started))
