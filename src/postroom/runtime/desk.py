"""A turn at the desk: what its calls ask of the service, and how they wait without a slot."""

import json
from collections.abc import Sequence
from dataclasses import replace

from postroom.domain.ask import Adviser, Counsel, Opinion
from postroom.domain.goal import Goal
from postroom.domain.keys import CallKey
from postroom.domain.message import Kind, Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Purpose
from postroom.rules.classifier import CallInQuestion
from postroom.rules.goals import Item
from postroom.rules.permissions import NO_RULES, Effect, read_overlay, strictness
from postroom.rules.reach import leads_out
from postroom.runtime.agents import Agent
from postroom.runtime.desk_beside import BesideDesk
from postroom.runtime.desk_looks import LookingDesk
from postroom.runtime.desk_tasks import TaskDesk
from postroom.runtime.means import Means, Seat
from postroom.runtime.side_calls import Question as SideQuestion
from postroom.runtime.side_calls import classify, combined, review
from postroom.runtime.works import LiveWork
from postroom.service.asks import Question, RenderAnswer, Standing, Verdict
from postroom.service.delegate import Order, RenderSpawned, Spawned, started_text
from postroom.service.draft import Draft, Render, Sent
from postroom.service.goals import RenderGoal
from postroom.service.hooks import HookNote
from postroom.service.rights import Wish
from postroom.service.side_calls import SideAnswer
from postroom.service.start import Started
from postroom.service.tasks import Cancelled, RenderTask
from postroom.surfaces.base import DispatchRequest, SendRequest, SpawnRequest
from postroom.tools.base import Caller, May


class TurnDesk(TaskDesk, LookingDesk, BesideDesk):
    """What the calls of one started turn may do. The sender is always this turn (G5)."""

    def __init__(self, means: Means, started: Started, agent: Agent, seat: Seat) -> None:
        super().__init__(means, started, seat)
        self.gate = means.gate
        self.agent = agent
        self.facts = started.facts
        self.given: list[str] = json.loads(started.facts.tools)
        self.begun: frozenset[CallKey] = frozenset() if started.left is None else started.left.begun

    def is_plain(self, action: str) -> bool:
        """Whether no rule of the agent, its limits or its tree asks for leave for such an action."""
        if self.overlay != NO_RULES:
            return False
        layers = (self.facts.own, *self.facts.ceilings, *self.facts.limits)
        return not any(r.action == action and r.effect is Effect.ASK for rules in layers for r in rules)

    async def wants_leave(self, call: Call, wish: Wish) -> bool:
        """Whether the side of a call's recipient asks for leave, whatever the agent's own rules say."""
        if wish.to is None or not leads_out(self.started.policy):
            return False
        return await self.office.wants_leave(call.key, wish, self.facts)

    def is_off(self, tool: str) -> bool:
        """Whether this is the tool of messaging, and that is switched off by the settings or for the session.

        A tool that only no rule shows is not off: its call is refused for want of a right.
        """
        if tool != self.started.policy.send_tool:
            return False
        return not self.started.policy.messaging_enabled or all(r.tool != tool for r in self.facts.shows)

    @property
    def overlay(self) -> str:
        """The person's rules over the tree, as they are now."""
        return self.office.overlays.get(self.started.root, self.started.overlay)

    async def is_still_allowed(self, call: Call, wish: Wish) -> bool:
        """Whether a tool's call may be made by the rules of this moment."""
        return await self.office.is_still_allowed(self.started.root, call.key, self.facts, wish)

    async def judge(self, call: Call, wish: Wish, counsel: Counsel | None) -> Verdict:
        """Decide on a call; while the person is asked, the turn waits and this does not return."""
        while True:
            verdict = await self.office.judge(self.turn, call.key, wish, self.facts, counsel)
            if verdict.standing is not Standing.WAITS:
                return verdict
            await self._wait(call.key, lambda: self.office.collect_ask(self.turn, call.key))

    async def wait_for_leave(self, call: CallKey) -> None:
        """Wait on for the leave that a process before this one asked for."""
        await self._wait(call, lambda: self.office.collect_ask(self.turn, call))

    async def consult(self, call: Call, wish: Wish, adviser: Adviser) -> Counsel:
        """Ask models that may speak for the person, and keep what each said and cost.

        Without one there is no opinion, and none in a chain that may ask no model any more.
        """
        is_review = adviser is Adviser.REVIEWERS
        classifier = self.agent.aside.get(Purpose.CLASSIFICATION)
        models = self.agent.reviewers if is_review else () if classifier is None else (classifier,)
        if not models or not await self.office.may_ask(self.turn):
            return Counsel(adviser, Opinion.FAILED)
        asks_for = self.office.requested if is_review else self.office.persons_text
        about = CallInQuestion(
            tool=call.tool, action=wish.action, resource=wish.resource, arguments=call.arguments,
            to=wish.to,
        )  # fmt: skip
        question = SideQuestion(
            agent=self.agent.profile.name, branch=self.started.branch_id, call=about,
            person=await asks_for(self.turn),
        )  # fmt: skip
        if is_review:
            advice = await review(models, question, self.means.clock)
        else:
            advice = (await classify(models[0], question, self.means.clock),)
        purpose = Purpose.REVIEW if is_review else Purpose.CLASSIFICATION
        for one in advice:
            answer = SideAnswer(one.opinion, one.usage, one.code)
            await self.office.record_side_call(self.turn, call.key, purpose, answer)
        return Counsel(adviser, combined(advice))

    async def change_call(self, call: Call, arguments: str, by: str) -> None:
        """Keep a hook's arguments beside the model's."""
        await self.office.change_call(self.turn, call.key, arguments, by)

    async def note_hooks(self, call: Call, notes: Sequence[HookNote]) -> None:
        """Keep which hooks denied or failed."""
        await self.office.note_hooks(self.turn, call.key, notes)

    def caller(self, call: Call) -> Caller:
        """Who calls, for a foreign tool."""
        return replace(self._plain_caller(call), may=self._may(call))

    def _may(self, call: Call) -> May:
        """Which things beside the named one the leave of a call covers: those that no rule guards better."""
        tool, overlay = self.agent.tools.get(call.tool), read_overlay(self.overlay)
        if tool is None or not tool.action:
            return lambda _: True
        named = call.tool
        if tool.resource is not None:
            named = tool.resource(self._plain_caller(call), json.loads(call.arguments or "{}"))
        least = strictness(self.facts.effect(overlay, tool.action, named))
        return lambda one: strictness(self.facts.effect(overlay, tool.action, one)) <= least

    def _plain_caller(self, call: Call) -> Caller:
        s = self.started
        return Caller(
            session_id=s.session_id, branch_id=s.branch_id, turn_id=s.turn.public_id, call_id=call.call_id,
            agent=self.agent.profile.name, cwd=s.cwd, begin_work=lambda label: self._begin_work(call, label),
        )  # fmt: skip

    async def _begin_work(self, call: Call, label: str) -> LiveWork:
        return await self.means.works.begin(self.turn, call.key, label)

    async def send(self, call: Call, request: SendRequest, render: Render) -> Sent:
        """Accept a message; an idle recipient starts in the same commit when a slot is free."""
        draft = Draft(
            call=call.key, fence=self.turn.fence, to=request.to, body=request.body, mode=Mode(request.mode),
            render=render, tool=call.tool, profile=request.profile, also=request.also,
            reply_to=request.reply_to, expires_in_s=request.expires_in_s,
        )  # fmt: skip
        return await self.office.patient(lambda: self._send_once(draft))

    async def dispatch(
        self, call: Call, request: DispatchRequest, render: Render, ended: RenderTask | None = None
    ) -> Sent:
        """Accept a task for an agent that exists, as `send` does mail; perhaps wait for its end."""
        draft = Draft(
            call=call.key, fence=self.turn.fence, to=request.to, body=request.prompt, mode=Mode.QUEUE,
            render=render, tool=call.tool, profile=request.profile, kind=Kind.TASK,
            description=request.description, waits=request.waits,
        )  # fmt: skip
        sent = await self.office.patient(lambda: self._send_once(draft))
        is_given = isinstance(sent.outcome, Receipt) and not sent.outcome.held
        if request.waits and ended is not None and is_given:
            await self._wait_for_task(call, ended)
        return sent

    async def _send_once(self, draft: Draft) -> Sent:
        may_start = self.seat.try_second()

        def settle(sent: Sent | None) -> None:
            if sent is not None and sent.started is not None:
                self.seat.adopt(sent.started)
            elif may_start:
                self.seat.give_second()

        return await self.office.send(
            replace(draft, may_start=may_start, summed_up=self.office.summed_up), settle
        )

    async def delegate(
        self, call: Call, request: SpawnRequest, render: RenderTask, started: RenderSpawned = started_text
    ) -> Spawned | Refusal:
        """Spawn a child; in the foreground, wait for its end."""
        order = Order(
            call=call.key, fence=self.turn.fence, profile=request.profile, description=request.description,
            prompt=request.prompt, background=request.background, resume=request.resume,
            inherits=request.inherits, start_from=request.start_from, archives=request.archive_when_done,
            tool=call.tool, render=started,
        )  # fmt: skip
        spawned = await self.office.delegate(order)
        if isinstance(spawned, Spawned) and spawned.waits:
            await self._wait_for_task(call, render)
        return spawned

    async def result(self, call: Call, reference: str, render: RenderTask, *, wait: bool) -> Refusal | None:
        """A child's result as this call's result."""
        ask = self.office.await_child if wait else self.office.fetch
        outcome = await ask(self.turn, call.key, reference, render)
        if outcome is None:
            await self._wait_for_task(call, render, at_rest=True)
        return outcome if isinstance(outcome, Refusal) else None

    async def cancel(self, call: Call, reference: str, reason: str) -> Cancelled | Refusal:
        """End a child's task."""
        return await self.office.cancel_child(self.turn, call.key, reference, reason)

    async def goal(self) -> Goal | None:
        """The agent's open goal."""
        return await self.office.goal(self.turn.branch)

    async def change_goal(self, call: Call, items: Sequence[Item], render: RenderGoal) -> Refusal | None:
        """Another list for the agent's goal."""
        outcome = await self.office.change_goal(self.turn, call.key, items, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def ask(self, call: Call, question: Question, render: RenderAnswer) -> Refusal | None:
        """Ask the person, and wait for the answer."""
        refused = await self.office.open_question(self.turn, call.key, question)
        if refused is not None:
            return refused

        async def collected() -> bool:
            return await self.office.collect_answer(self.turn, call.key, render) is not None

        await self._wait(call.key, collected)
        return None

    async def _wait_for_task(self, call: Call, render: RenderTask, *, at_rest: bool = False) -> None:
        async def collected() -> bool:
            found = await self.office.collect(self.turn, call.key, render, at_rest=at_rest)
            return found is not None

        await self._wait(call.key, collected)
