"""One turn, from its first boundary to its end: ask, commit, call, commit, and again.

Everything it writes carries its fence. Whatever ends it from outside moves the fence first; then the
next write is refused and the runner leaves without a word.
"""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from postroom.clock import Clock
from postroom.domain.keys import BranchKey, TurnKey
from postroom.domain.message import Mode
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, EndedBy, Turn, TurnState
from postroom.errors import Fault, ModelFault, ModelUnavailable, StaleFence, StoreClosed
from postroom.faults import reach
from postroom.llm.port import ModelAnswer, ModelRequest
from postroom.llm.retry import request_with_retry
from postroom.runtime.agents import Agent
from postroom.runtime.calls import run_calls
from postroom.runtime.texts import OnPiece, TextPiece
from postroom.runtime.transcript import Transcript, Transcripts, recall
from postroom.runtime.works import LiveWork, Works
from postroom.service.close import Ending
from postroom.service.delegate import Order, Spawned
from postroom.service.office import Office
from postroom.service.send import Draft, Render, Sent
from postroom.service.start import Started
from postroom.service.stops import STOPPED
from postroom.service.tasks import Cancelled, RenderTask
from postroom.service.turns import Step
from postroom.surfaces.base import SendRequest, SpawnRequest
from postroom.tools.base import Caller


class Seat(Protocol):
    """The slot of a turn, and the door for turns that its sends start at once."""

    async def take(self) -> None:
        """Wait for a slot of the tree."""
        ...

    def give(self) -> None:
        """Give the slot back."""
        ...

    def try_second(self) -> bool:
        """Take a second slot of the tree, for the recipient of a send, if one is free."""
        ...

    def give_second(self) -> None:
        """Give the second slot back unused."""
        ...

    def adopt(self, started: Started) -> None:
        """Run a turn that a send of this one has started, on the second slot."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What every turn works with."""

    office: Office
    transcripts: Transcripts
    clock: Clock
    random_source: random.Random
    works: Works
    on_text: Callable[[BranchKey, str], None]
    on_piece: OnPiece
    on_wait: Callable[[BranchKey, float, ModelUnavailable], None]


class TurnRunner:
    """Runs one started turn to its end."""

    def __init__(self, means: Means, started: Started, agent: Agent, seat: Seat) -> None:
        self.means = means
        self.office = means.office
        self.started = started
        self.turn: Turn = started.turn
        self.agent = agent
        self.facts = started.facts
        self.given: list[str] = json.loads(started.facts.tools)
        self.specs = tuple(spec for spec in agent.specs if spec.name in self.given)
        self.seat = seat
        self.ended_outside = False
        self.stopping = False
        self.in_calls = False
        self._attempt = 1
        # One event a waiting call: a shared one could be cleared by the call beside it.
        self._waits: set[asyncio.Event] = set()

    async def run(self) -> None:
        """Run to the end. Never raises for what happens inside the turn; the turn ends instead."""
        try:
            await self._loop()
        except (StaleFence, StoreClosed):
            return
        except asyncio.CancelledError:
            if not self.ended_outside:
                await self._end_cancelled()
            raise
        except BaseExceptionGroup as group:
            if not isinstance(error := _first(group), StaleFence | StoreClosed):
                await self._end_failed(error)
        except BaseException as error:  # outermost frame: the turn ends, the process lives
            await self._end_failed(error)

    async def _loop(self) -> None:
        transcript = await self._transcript()
        transcript.extend(self.started.nodes, ())
        while True:
            reach("turn.before_model")
            answer = await self._ask(transcript)
            reach("turn.after_model")
            step = await self._commit(transcript, answer)
            if step.ended is not None:
                self.means.transcripts.keep(self.turn.branch, transcript)
                return
            if step.calls:
                reach("turn.before_calls")
                closed = await self._run_calls(step)
                transcript.extend(closed.nodes, closed.results)
            if self.stopping:
                await self.office.end(self.turn.key, STOPPED)
                return

    async def _run_calls(self, step: Step) -> Step:
        self.in_calls = True
        try:
            return await run_calls(self, step.calls)
        finally:
            self.in_calls = False

    async def _commit(self, transcript: Transcript, answer: ModelAnswer) -> Step:
        step = await self.office.answer(self.turn, answer, self.facts)
        self.turn = step.turn
        transcript.extend(step.nodes, ())
        return step

    async def _transcript(self) -> Transcript:
        """From memory when its head is ours, else from the store, once."""
        head = self.started.head_before
        kept = self.means.transcripts.take(self.turn.branch, head)
        if kept is not None or head is None:
            return kept or Transcript()
        return await recall(self.office, head)

    async def _ask(self, transcript: Transcript) -> ModelAnswer:
        profile, branch = self.agent.profile, self.turn.branch
        request = ModelRequest(
            agent=profile.name, branch=self.started.branch_id, instructions=profile.instructions,
            items=tuple(transcript.items), tools=self.specs, settings=profile.settings,
        )  # fmt: skip
        self._attempt = 1

        def waits(wait_s: float, fault: ModelUnavailable) -> None:
            self._attempt += 1
            self.means.on_wait(branch, wait_s, fault)

        return await request_with_retry(
            self.agent.model,
            request,
            self._heard,
            clock=self.means.clock,
            random_source=self.means.random_source,
            on_wait=waits,
            retry_for_s=self.agent.retry_for_s,
        )

    def _heard(self, text: str) -> None:
        """Some text of an answer that is not whole yet, for whoever watches."""
        try:
            self._show(text)
        except Exception as error:  # outermost frame of a listener: who watches ends and repeats no request
            told = {"message": f"a listener of turn {self.turn.public_id} failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(told)

    def _show(self, text: str) -> None:
        self.means.on_text(self.turn.branch, text)
        piece = TextPiece(
            session_id=self.started.session_id, turn_id=self.turn.public_id, agent=self.agent.profile.name,
            round=self.turn.rounds + 1, attempt=self._attempt, text=text,
        )  # fmt: skip
        self.means.on_piece(piece)

    async def _end_failed(self, error: BaseException) -> None:
        code = error.code if isinstance(error, Fault) else "crashed"
        cause = _told(error) if isinstance(error, Fault) else f"{type(error).__name__}: {error}"
        outage = isinstance(error, ModelFault) and error.retryable
        ending = Ending(state=TurnState.FAILED, reason=f"{code}: {cause}", outage=outage)
        await self.office.end(self.turn.key, ending)

    async def _end_cancelled(self) -> None:
        """Somebody cancelled the runner and not the turn: the turn must not stay open (O-15 c)."""
        ending = Ending(state=TurnState.CANCELLED, reason="its runner was cancelled", ended_by=EndedBy.CANCEL)
        await asyncio.shield(asyncio.ensure_future(self.office.end(self.turn.key, ending)))

    def caller(self, call: Call) -> Caller:
        """Who calls, for a foreign tool."""
        s = self.started
        return Caller(
            session_id=s.session_id, branch_id=s.branch_id, turn_id=s.turn.public_id, call_id=call.call_id,
            agent=self.agent.profile.name, cwd=s.cwd, begin_work=lambda label: self._begin_work(call, label),
        )  # fmt: skip

    async def _begin_work(self, call: Call, label: str) -> LiveWork:
        return await self.means.works.begin(self.turn, call.key, label)

    async def send(self, call: Call, request: SendRequest, render: Render) -> Sent:
        """Accept a message; an idle recipient starts in the same commit when a slot is free."""
        return await self.office.patient(lambda: self._send_once(call, request, render))

    async def _send_once(self, call: Call, request: SendRequest, render: Render) -> Sent:
        may_start = self.seat.try_second()
        draft = Draft(
            call=call.key, fence=self.turn.fence, to=request.to, body=request.body, mode=Mode(request.mode),
            render=render, may_start=may_start,
        )  # fmt: skip

        def settle(sent: Sent | None) -> None:
            if sent is not None and sent.started is not None:
                self.seat.adopt(sent.started)
            elif may_start:
                self.seat.give_second()

        return await self.office.send(draft, settle)

    async def delegate(self, call: Call, request: SpawnRequest, render: RenderTask) -> Spawned | Refusal:
        """Spawn a child; in the foreground, wait for its end."""
        order = Order(
            call=call.key, fence=self.turn.fence, profile=request.profile, description=request.description,
            prompt=request.prompt, background=request.background, resume=request.resume,
            inherits=request.inherits,
        )  # fmt: skip
        spawned = await self.office.delegate(order)
        if isinstance(spawned, Spawned) and spawned.waits:
            await self._wait(call, render)
        return spawned

    async def result(self, call: Call, reference: str, render: RenderTask, *, wait: bool) -> Refusal | None:
        """A child's result as this call's result."""
        ask = self.office.await_child if wait else self.office.fetch
        outcome = await ask(self.turn, call.key, reference, render)
        if outcome is None:
            await self._wait(call, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def cancel(self, call: Call, reference: str, reason: str) -> Cancelled | Refusal:
        """End a child's task."""
        return await self.office.cancel_child(self.turn, call.key, reference, reason)

    async def _wait(self, call: Call, render: RenderTask) -> None:
        """Wait for a task's end. No slot is held, and there is no deadline: the child ends, or we do."""
        if not self._waits:
            self.seat.give()
        answered = asyncio.Event()
        self._waits.add(answered)
        try:
            while await self.office.collect(self.turn, call.key, render) is None:
                await answered.wait()
                answered.clear()
        finally:
            self._waits.discard(answered)
        if not self._waits:
            await self.seat.take()
        if self._waits:  # another call of the batch began to wait meanwhile: it must hold no slot
            self.seat.give()

    def answer_waits(self) -> None:
        """A task that one of the calls awaits has ended: each looks whether it was its own."""
        for answered in self._waits:
            answered.set()

    @property
    def key(self) -> TurnKey:
        """The turn's key."""
        return self.turn.key


def _told(fault: Fault) -> str:
    """What happened and what would be right: nobody sees the fault itself once the turn has ended."""
    return f"{fault.message} ({fault.remedy})" if fault.remedy else fault.message


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first leaf of what the calls of a round raised together."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]
