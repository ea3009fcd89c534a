"""One turn, from its first boundary to its end: ask, commit, call, commit, and again.

Everything it writes carries its fence. Whatever ends it from outside moves the fence first; then the
next write is refused and the runner leaves without a word.
"""

import asyncio
from dataclasses import replace

from postroom.domain.keys import TurnKey
from postroom.domain.turn import Call, EndedBy, TurnState
from postroom.errors import ContextTooLong, Fault, ModelFault, ModelUnavailable, StaleFence, StoreClosed
from postroom.faults import reach
from postroom.llm.port import Json, ModelAnswer, ModelRequest
from postroom.llm.retry import request_with_retry
from postroom.rules.compaction import Why
from postroom.runtime.agents import Agent
from postroom.runtime.calls import run_calls
from postroom.runtime.compaction import Failed, Outcome, sum_up, tried
from postroom.runtime.desk import TurnDesk
from postroom.runtime.means import Means, Seat
from postroom.runtime.result_files import keep_last_text
from postroom.runtime.stop_gate import ask_to_stop
from postroom.runtime.texts import TextPiece
from postroom.runtime.transcript import Transcript, recall
from postroom.service.close import Ending
from postroom.service.compaction import Occasion
from postroom.service.extend import Held
from postroom.service.start import Left, Started
from postroom.service.stops import STOPPED
from postroom.service.turns import Step
from postroom.tools.hooks.bus import at_place


class TurnRunner(TurnDesk):
    """Runs one started turn to its end."""

    def __init__(self, means: Means, started: Started, agent: Agent, seat: Seat) -> None:
        super().__init__(means, started, agent, seat)
        self.specs = tuple(spec for spec in agent.specs if spec.name in self.given)
        self.ended_outside = False
        self.stopping = False
        self.in_calls = False
        self.tools_at_work = 0
        self.stop_asks = 0
        self._attempt = 1
        self._has_begun = False
        self._was_too_long = False

    async def run(self) -> None:
        """Run to the end. Never raises for what happens inside the turn; the turn ends instead."""
        try:
            with at_place(self._place()):
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
        if self.started.left is not None and await self._go_on(transcript, self.started.left):
            return
        while not self.stopping:
            reach("turn.before_model")
            answer = await self._answer(transcript)
            reach("turn.after_model")
            step = await self._commit(transcript, answer)
            if step.ended is not None:
                self._keep(transcript)
                return
            if step.calls and await self._make(transcript, step.calls):
                return
        await self.office.end(self.turn.key, STOPPED)

    async def _go_on(self, transcript: Transcript, left: Left) -> bool:
        """Finish what a process before this one has begun of the turn. Whether the turn has ended with it."""
        if left.needs_slot:
            await self.seat.take()
        if left.text is not None:
            ended = (await self._make_room(transcript, left.text)).ended
            if ended is not None:
                self._keep(transcript)
            return ended is not None
        if not left.is_open:
            return False
        transcript.reopen()
        if left.needs_leave is not None:
            await self.wait_for_leave(left.needs_leave)
        return await self._make(transcript, left.calls)

    async def _make(self, transcript: Transcript, calls: tuple[Call, ...]) -> bool:
        """Make the calls of a round that are left to make; what they gave is in the transcript.

        Whether the turn has ended with them: its chain may ask no model any more.
        """
        reach("turn.before_calls")
        closed = await run_calls(self, calls)
        self.turn = closed.turn
        transcript.extend(closed.nodes, closed.results)
        if closed.is_full:
            closed = await self._make_room(transcript, None)
        if closed.ended is not None:
            self._keep(transcript)
        return closed.ended is not None

    async def _commit(self, transcript: Transcript, answer: ModelAnswer) -> Step:
        held = await ask_to_stop(self, answer)
        self.turn = replace(self.turn, kept=await self._kept(answer))
        step = await self.office.answer(self.turn, answer, self.facts, held)
        self.turn = step.turn
        transcript.extend(step.nodes, step.results)
        if not step.is_full:
            return step
        return await self._make_room(transcript, None if self.turn.is_last else answer.text, held)

    async def _kept(self, answer: ModelAnswer) -> str:
        """Where the whole of a long last text is, in time for whoever is told of it."""
        policy = self.started.policy
        is_capped = policy.at_cap == "ends" and self.turn.rounds + 1 >= self.turn.rounds_max
        is_last = not answer.calls or is_capped or self.turn.is_last
        if not is_last or policy.result_form != "inline":
            return ""
        return await keep_last_text(self.office, self.turn, answer.text)

    async def _make_room(self, transcript: Transcript, text: str | None, held: Held | None = None) -> Step:
        """Sum the conversation up, then take what the full boundary has left in the mailbox."""
        outcome = await self._sum_up(transcript, Why.EARLY)
        step = await self.office.take_mail(self.turn, self.facts, text, held)
        self.turn = step.turn
        transcript.extend(step.nodes, ())
        if step.is_full and isinstance(outcome, Failed):
            msg = f"the conversation does not fit, and no summary was made ({outcome.code})"
            raise ContextTooLong(msg, remedy="make a summary possible, or use a model with a larger window")
        return step

    async def _sum_up(self, transcript: Transcript, why: Why) -> Outcome:
        """A summary in the place of what was there; if it failed, nothing has changed."""
        started, turn = self.started, self.turn
        outcome = await sum_up(self.means, self.agent, Occasion(
            branch=turn.branch, session=turn.session, why=why, facts=self.facts, team=started.team,
            profile=started.profile, branch_id=started.branch_id, turn=turn.key, fence=turn.fence,
        ))  # fmt: skip
        percent = tried(outcome, self.facts.compact_percent).percent
        self.facts = replace(self.facts, compact_percent=percent)
        if not isinstance(outcome, Failed):
            transcript.become(await recall(self.office, outcome.node))
        return outcome

    def _keep(self, transcript: Transcript) -> None:
        """The conversation stays in memory for the next turn; a child's only for a while."""
        is_child = self.turn.session != self.started.root
        self.means.residents.keep(self.turn.branch, transcript, is_child=is_child)

    def _place(self) -> dict[str, Json]:
        """Where everything that this turn tells the bus has happened."""
        return {
            "session_id": self.started.session_id, "branch_id": self.started.branch_id,
            "turn_id": self.turn.public_id, "agent": self.agent.profile.name,
        }  # fmt: skip

    async def _transcript(self) -> Transcript:
        """From memory when its head is ours, else from the store, once."""
        head = self.started.head_before
        kept = self.means.residents.take(self.turn.branch, head)
        if kept is not None or head is None:
            return kept or Transcript()
        return await recall(self.office, head)

    async def _answer(self, transcript: Transcript) -> ModelAnswer:
        """The model's answer. Once in a turn what it finds too long is summed up and asked again."""
        try:
            return await self._ask(transcript)
        except ContextTooLong:
            if self._was_too_long or isinstance(await self._sum_up(transcript, Why.TOO_LONG), Failed):
                raise
            self._was_too_long = True
        return await self._ask(transcript)

    async def _ask(self, transcript: Transcript) -> ModelAnswer:
        profile, branch = self.agent.profile, self.turn.branch
        request = ModelRequest(
            agent=profile.name, branch=self.started.branch_id, instructions=profile.instructions,
            items=tuple(transcript.items), tools=self.specs, settings=profile.settings,
            covered=transcript.covered, force_text=self.turn.is_last,
        )  # fmt: skip
        self._attempt, self._has_begun = 1, False
        bus = self.means.bus
        if bus.wants("chat.before_send"):
            about = {"model": profile.model, "items": len(request.items), "tools": len(request.tools)}
            bus.emit("chat.before_send", about)

        def waits(wait_s: float, fault: ModelUnavailable) -> None:
            self._attempt += 1
            self.means.on_wait(branch, wait_s, fault)

        answer = await request_with_retry(
            self.agent.model,
            request,
            self._heard,
            clock=self.means.clock,
            random_source=self.means.random_source,
            on_wait=waits,
            retry_for_s=self.agent.retry_for_s,
        )
        if bus.wants("model.response_completed"):
            bus.emit("model.response_completed", self._completed(answer))
        return answer

    def _completed(self, answer: ModelAnswer) -> dict[str, Json]:
        return {
            "round": self.turn.rounds + 1, "calls": len(answer.calls),
            "input_tokens": answer.usage.input_tokens, "output_tokens": answer.usage.output_tokens,
        }  # fmt: skip

    def _heard(self, text: str) -> None:
        """Some text of an answer that is not whole yet, for whoever watches."""
        try:
            self._show(text)
        except Exception as error:  # outermost frame of a listener: who watches ends and repeats no request
            told = {"message": f"a listener of turn {self.turn.public_id} failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(told)

    def _show(self, text: str) -> None:
        if not self._has_begun:
            self._has_begun = True
            self.means.bus.emit("model.response_started", {"round": self.turn.rounds + 1})
        self.means.on_text(self.turn.branch, text)
        piece = TextPiece(
            session_id=self.started.session_id, branch_id=self.started.branch_id, turn_id=self.turn.public_id,
            agent=self.agent.profile.name, round=self.turn.rounds + 1, attempt=self._attempt, text=text,
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
