"""When turns run: slot first, then the boundary, then the model.

With the slot last, mail would sit claimed and requests would freeze while turns queue. A waiting turn
is a task in line for a slot; ten thousand idle agents are nothing at all.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine

from postroom.domain.keys import TurnKey
from postroom.domain.turn import EndedBy, TurnState
from postroom.engine.slots import Slots
from postroom.errors import StaleFence, StoreFault
from postroom.runtime.agents import Agents
from postroom.runtime.asked_summaries import AskedSummaries
from postroom.runtime.compaction import Failed, sum_up, tried
from postroom.runtime.means import Means
from postroom.runtime.seats import Pools, TurnSeat
from postroom.runtime.turn import TurnRunner
from postroom.service.carried import Kept
from postroom.service.close import Ending
from postroom.service.compaction import Occasion
from postroom.service.facts import Pool, Ring, Waiting
from postroom.service.start import NotStarted, Started
from postroom.service.stops import STOPPED

STOP_GRACE_S = 30.0
"""How long the tools of a stopped turn may still work (product.md section 4, Stop)."""
_CANCELLED = Ending(state=TurnState.CANCELLED, reason="its runner was cancelled", ended_by=EndedBy.CANCEL)


class Scheduler:
    """Every waiting and running turn of this process. All of it on one event loop."""

    def __init__(self, means: Means, agents: Agents, workers: int | None = None) -> None:
        """`workers`: slots of the process; without it as many as the policy that first asks for one says."""
        self._means = means
        self._agents = agents
        self._pools = Pools(workers)
        # Who may change these: only methods of this class, on the loop; a turn is in one of the two.
        self._tasks: dict[TurnKey, asyncio.Task[None]] = {}
        self._runners: dict[TurnKey, TurnRunner] = {}
        # Turns that waited for a slot when they came here, and on what they wait or have waited.
        self._lines: dict[TurnKey, tuple[Waiting, TurnSeat]] = {}
        # Turns whose tools have been given time to end, each with what ends it after that; and turns that
        # have ended while a tool of theirs will not, each with what takes its slot away.
        self._graces: dict[TurnKey, asyncio.Task[None]] = {}
        self._evictions: dict[TurnKey, asyncio.Task[None]] = {}
        self._closing = False
        self.asked = AskedSummaries(means, self._rest_or_not)
        """Summaries that the person asks for."""
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
        for waiting in ring.woken if not self._closing else ():
            if waiting.turn in self._tasks:
                self._hurry(waiting)
            else:
                self._stand_in_line(waiting)

    def _stand_in_line(self, waiting: Waiting) -> None:
        seat = self._seat(*self._pools.of(waiting))
        self._lines[waiting.turn] = (waiting, seat)
        self._means.residents.stands_in_line(waiting.branch)
        task = self._launch(waiting.turn, self._run_waiting(waiting, seat), seat)
        task.add_done_callback(functools.partial(self._left_line, waiting.turn))

    def _hurry(self, waiting: Waiting) -> None:
        """The person's own words reached a turn in line: it leaves the line and starts."""
        before, seat = self._lines.get(waiting.turn, (waiting, None))
        goes_ahead = waiting.pool is Pool.NONE and before.pool is not Pool.NONE
        if goes_ahead and seat is not None and not seat.was_taken:
            self._lines[waiting.turn] = (waiting, seat)
            self._tasks[waiting.turn].cancel()

    def _answer_waits(self, ring: Ring) -> None:
        for turn in ring.answered:
            if (runner := self._runners.get(turn)) is not None:
                runner.answer_waits()
        for turn, call in ring.decided:
            if (runner := self._runners.get(turn)) is not None:
                runner.answer_wait(call)

    def adopt(self, slots: Slots, started: Started) -> None:
        """Run a turn that was started in a sender's commit, on one of these slots that is taken already."""
        seat = self._seat(slots, slots)
        seat.hold()
        self._launch(started.turn.key, self._run(started, seat), seat)

    def go_on(self, kept: Kept) -> None:
        """Hold a turn that another process has left; while it only waits, it stands in no line for a slot.

        One that was at work has a slot again before anything that is woken takes it.
        """
        seat = self._seat(*self._pools.of(kept.waiting))
        if kept.started.left is not None and kept.started.left.needs_slot:
            seat.take_free()
        self._launch(kept.waiting.turn, self._run(kept.started, seat), seat)

    async def close(self) -> None:
        """End what runs as interrupted, so that the next start goes on at once. Idempotent."""
        self._closing = True
        for runner in list(self._runners.values()):
            await self._interrupt(runner)
        await self.asked.close()
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
        """How many slots are taken; none when nothing runs."""
        return self._pools.held

    def _launch(
        self, turn: TurnKey, work: Coroutine[object, object, None], seat: TurnSeat
    ) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=f"turn-{turn}")
        self._tasks[turn] = task
        self.idle.clear()
        task.add_done_callback(lambda _: self._forget(turn, seat))
        return task

    def _left_line(self, turn: TurnKey, task: asyncio.Task[None]) -> None:
        """If somebody cancelled the task in line and not the turn, it stands in line again."""
        waiting, seat = self._lines.pop(turn)
        self._means.residents.left_line(waiting.branch)
        if task.cancelled() and not seat.was_taken:
            self.ring(Ring(woken=[waiting]))

    def _forget(self, turn: TurnKey, seat: TurnSeat) -> None:
        """Here and not in the task: one that is cancelled before its first step runs none of its lines."""
        seat.give()
        self._tasks.pop(turn, None)
        self._runners.pop(turn, None)
        for timed in (self._graces.pop(turn, None), self._evictions.pop(turn, None)):
            if timed is not None:
                timed.cancel()
        self._rest_or_not()

    def _rest_or_not(self) -> None:
        """Something has begun or ended; whoever waits for the end of all learns of it."""
        if self._tasks or self.asked:
            self.idle.clear()
        elif not self.idle.is_set():
            self.idle.set()
            self.on_idle()

    def _drop(self, turn: TurnKey) -> None:
        """The turn was ended from outside: its runner has nothing left to write."""
        if (runner := self._runners.get(turn)) is not None:
            runner.ended_outside = True
        if (task := self._tasks.get(turn)) is not None and task is not asyncio.current_task():
            task.cancel()
            if turn not in self._evictions:
                self._evictions[turn] = asyncio.get_running_loop().create_task(self._evict(turn))

    async def _evict(self, turn: TurnKey) -> None:
        """A tool that does not let go keeps no slot from others: its turn can write nothing any more."""
        await self._means.clock.sleep_s(STOP_GRACE_S)
        if (runner := self._runners.get(turn)) is not None:
            runner.seat.give()

    async def _run_waiting(self, waiting: Waiting, seat: TurnSeat) -> None:
        await self.asked.over(waiting.branch)
        await seat.take()
        self._agents.refresh()
        try:
            started = await self._means.office.start(waiting.turn)
            if isinstance(started, NotStarted) and started.occasion is not None:
                started = await self._sum_up_and_start(waiting.turn, started.occasion)
        except asyncio.CancelledError:
            # The start may still commit; this write comes after it in the one queue, so no turn stays
            # open that nobody runs.
            office, turn = self._means.office, waiting.turn
            end = office.close_turn(turn) if self._closing else office.end_now(turn, _CANCELLED)
            await self._at_once(end)
            raise
        if isinstance(started, Started):
            await self._run(started, seat)

    async def _sum_up_and_start(self, turn: TurnKey, occasion: Occasion) -> Started | NotStarted:
        """The turn waits meanwhile, and has claimed nothing."""
        agent = self._agents.of_started(occasion.team, occasion.profile)
        try:
            outcome = await sum_up(self._means, agent, occasion)
        except StaleFence:
            outcome = Failed("overtaken")
        return await self._means.office.start(turn, tried(outcome, occasion.facts.compact_percent))

    async def _run(self, started: Started, seat: TurnSeat) -> None:
        agent = self._agents.of_started(started.team, started.profile)
        runner = TurnRunner(self._means, started, agent.on(started.policy.surface), seat)
        self._runners[started.turn.key] = runner
        if self._closing:
            await self._interrupt(runner)
        else:
            await runner.run()

    def _seat(self, slots: Slots, second: Slots) -> TurnSeat:
        return TurnSeat(slots, second, lambda started: self.adopt(second, started))
