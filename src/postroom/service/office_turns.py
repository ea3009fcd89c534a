"""What turns ask of the service, from their start to their end."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from postroom.domain.ask import Counsel
from postroom.domain.goal import Goal
from postroom.domain.keys import BranchKey, CallKey, NodeKey, ProducerKey, SessionKey, TurnKey
from postroom.domain.node import CallResult, Node
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.llm.port import ModelAnswer, Purpose, Usage
from postroom.rules.goals import Item
from postroom.service import (
    asks,
    cancel,
    compaction,
    goals,
    hooks,
    producers,
    recovery,
    requested,
    residency,
    rights,
    send,
    side_calls,
    task_output,
    task_stop,
    tasks,
    turns,
    wait_for,
)
from postroom.service.close import Ending, end
from postroom.service.contexts import read_texts
from postroom.service.delegate import Order, Spawned, delegate
from postroom.service.draft import Draft, Sent
from postroom.service.extend import Extensions, Held, extensions
from postroom.service.facts import AgentFacts, Ring
from postroom.service.office_base import OfficeBase
from postroom.service.rights import Wish
from postroom.service.start import NotStarted, Started, start
from postroom.service.task_list import TaskLine, list_tasks
from postroom.service.wholes import WholePlace, place_of_whole
from postroom.store.tx import Tx

T = TypeVar("T")


class TurnOffice(OfficeBase):
    """Use cases of turns. A write waits while the store cannot be written, unless it says otherwise."""

    async def start(self, turn: TurnKey, tried: compaction.Tried | None = None) -> Started | NotStarted:
        """Start a waiting turn and claim what opens it; `tried`: it was to be summed up first."""
        return await self._turn_write(start, turn, self.directory, tried)

    async def answer(
        self, turn: Turn, answer: ModelAnswer, facts: AgentFacts, held: Held | None = None
    ) -> turns.Step:
        """Commit a model's answer; it may be the end of the turn, unless a gate keeps it from that."""
        return await self._turn_write(turns.commit_answer, turn, answer, facts, held)

    async def place_of_whole(self, turn: Turn) -> WholePlace | None:
        """Where the whole of a long answer belongs."""
        return await self.store.read(place_of_whole, turn, self.directory)

    async def extensions(self, turn: Turn) -> Extensions:
        """Whether gates are to be asked about the end of a turn."""
        return await self.store.read(extensions, turn.key, turn.session)

    async def send(self, draft: Draft, then: Callable[[Sent | None], None]) -> Sent:
        """Accept one message of an agent's call, or refuse it. Durable on return.

        `then` hears the outcome right after the commit, `None` on a fault: it owns the started turn.
        """

        def settle(sent: Sent | None) -> None:
            self._ring_for(sent)
            then(sent)

        return await self.store.write_then(settle, send.accept, draft, self.directory)

    async def delegate(self, order: Order) -> Spawned | Refusal:
        """Spawn a child with its task."""
        return await self._turn_write(delegate, order, self.directory)

    async def collect(
        self, turn: Turn, call: CallKey, render: tasks.RenderTask, *, at_rest: bool = False
    ) -> str | None:
        """The awaited task's result as the call's result, if it has ended; `at_rest`: and its agent too."""
        return await self._turn_write(tasks.collect, turn, call, render, at_rest=at_rest)

    async def await_child(
        self, turn: Turn, call: CallKey, reference: str, render: tasks.RenderTask
    ) -> str | Refusal | None:
        """A child's result now, or `None` and the turn is suspended until the task ends."""
        return await self._turn_write(tasks.await_child, turn, call, reference, render)

    async def fetch(
        self, turn: Turn, call: CallKey, reference: str, render: tasks.RenderTask
    ) -> str | Refusal:
        """A child's result as it stands."""
        return await self._turn_write(tasks.fetch, turn, call, reference, render)

    async def cancel_child(
        self, turn: Turn, call: CallKey, reference: str, reason: str
    ) -> tasks.Cancelled | Refusal:
        """End a child's open task and everything under it."""
        return await self._turn_write(cancel.cancel_child, turn, call, reference, reason)

    async def task_output(
        self, turn: Turn, call: CallKey, task_id: str, render: tasks.RenderTask, *, block: bool
    ) -> str | Refusal | None:
        """How a task stands, or `None` and the turn is suspended until it has ended."""
        return await self._turn_write(task_output.task_output, turn, call, task_id, render, block=block)

    async def collect_output(
        self, turn: Turn, call: CallKey, render: tasks.RenderTask, *, gives_up: bool
    ) -> str | None:
        """The awaited task as the call's result, if it has ended or the wait `gives_up`."""
        return await self._turn_write(task_output.collect_output, turn, call, render, gives_up=gives_up)

    async def stop_task(
        self, turn: Turn, call: CallKey, task_id: str, reason: str, render: task_stop.RenderStop
    ) -> task_stop.TaskStopped | Refusal:
        """End a task and everything that grew out of it."""
        return await self._turn_write(task_stop.stop_task, turn, call, task_id, reason, render)

    async def list_tasks(self, branch: BranchKey) -> list[TaskLine]:
        """The newest tasks that a branch and everybody below it have handed out."""
        return await self.store.read(list_tasks, branch)

    async def judge(
        self, turn: Turn, call: CallKey, wish: Wish, facts: AgentFacts, counsel: Counsel | None
    ) -> asks.Verdict:
        """Decide on a call before it is made; it may be that the person is asked now."""
        return await self._turn_write(asks.judge, turn, call, wish, facts, counsel)

    async def wants_leave(self, call: CallKey, wish: Wish, facts: AgentFacts) -> bool:
        """Whether somebody has to give leave before a call is made; reads only."""
        return await self.store.read(asks.wants_leave, call, wish, facts)

    async def is_still_allowed(self, root: SessionKey, call: CallKey, facts: AgentFacts, wish: Wish) -> bool:
        """Whether a tool's call may be made by the rules of this moment, some of which are new."""
        return await self.store.read(rights.is_still_allowed, root, call, facts, wish)

    async def may_ask(self, turn: Turn) -> bool:
        """Whether the chain of a turn has something left for a side call."""
        return await self.store.read(side_calls.may_ask, turn)

    async def persons_text(self, turn: Turn) -> str:
        """What the person wrote last, for whoever decides in their place."""
        return await self.store.read(side_calls.persons_text, turn)

    async def requested(self, turn: Turn) -> str:
        """What the person has asked for that a turn works on."""
        return await self.store.read(requested.requested, turn)

    async def record_side_call(
        self, turn: Turn, call: CallKey, purpose: Purpose, answer: side_calls.SideAnswer
    ) -> None:
        """Charge a side call to the turn's chain."""
        await self._turn_write(side_calls.record_side_call, turn, call, purpose, answer)

    async def collect_ask(self, turn: Turn, call: CallKey) -> bool:
        """Whether the ask that a call waits for has ended; then the turn goes on."""
        return await self._turn_write(asks.collect_ask, turn, call)

    async def open_question(self, turn: Turn, call: CallKey, question: asks.Question) -> Refusal | None:
        """Ask the person for an agent; the turn is suspended until they answer."""
        return await self._turn_write(asks.open_question, turn, call, question)

    async def collect_answer(self, turn: Turn, call: CallKey, render: asks.RenderAnswer) -> str | None:
        """The person's answer as the call's result, once it is there, or once none will come."""
        return await self._turn_write(asks.collect_answer, turn, call, render)

    async def change_call(self, turn: Turn, call: CallKey, arguments: str, by: str) -> None:
        """Put a hook's arguments beside the model's."""
        await self._turn_write(hooks.change_call, turn, call, arguments, by)

    async def note_hooks(self, turn: Turn, call: CallKey, notes: Sequence[hooks.HookNote]) -> None:
        """Keep which hooks denied or failed."""
        await self._turn_write(hooks.note_hooks, turn, call, notes)

    async def begin_work(
        self, turn: Turn, call: CallKey, label: str, then: Callable[[ProducerKey | None], None]
    ) -> ProducerKey:
        """Write down work that is to outlive its call; only then may it begin.

        `then` hears its key right after the commit, `None` on a fault, also when the caller is cancelled.
        """
        return await self.patient(
            lambda: self.store.write_then(then, producers.begin_work, turn, call, label)
        )

    async def end_work(self, producer: ProducerKey, text: str, *, is_error: bool) -> None:
        """Tell the agent that its work has ended."""
        await self._turn_write(producers.end_work, producer, text, is_error=is_error)

    async def goal(self, branch: BranchKey) -> Goal | None:
        """The goal that an agent works on, active or paused."""
        return await self.store.read(Tx.open_goal, branch)

    async def change_goal(
        self, turn: Turn, call: CallKey, items: Sequence[Item], render: goals.RenderGoal
    ) -> str | Refusal:
        """Another list for the agent's goal, with the call's result."""
        return await self._turn_write(goals.change_goal, turn, call, items, render)

    async def end_call(
        self, turn: Turn, call: Call, outcome: turns.Outcome, facts: AgentFacts
    ) -> turns.Step | None:
        """Commit the result of a call that did not write its own."""
        return await self._turn_write(turns.end_call, turn, call, outcome, facts)

    async def close_round(self, turn: Turn, facts: AgentFacts) -> turns.Step:
        """All calls have their result: append them and take the next boundary's mail."""
        return await self._turn_write(turns.close_round, turn, facts)

    async def take_mail(
        self, turn: Turn, facts: AgentFacts, text: str | None, held: Held | None = None
    ) -> turns.Step:
        """What a full boundary has left undone: take its mail now, or end the turn with its answer."""
        return await self._turn_write(turns.take_mail, turn, facts, text, held)

    async def ask_to_sum_up(
        self, branch: BranchKey, team: str, facts: AgentFacts
    ) -> compaction.Occasion | Refusal:
        """Whether the person may have an agent summed up now."""
        return await self.store.read(compaction.ask_to_sum_up, branch, team, facts)

    async def plan_summary(self, occasion: compaction.Occasion) -> compaction.Plan | None:
        """What of a conversation is to be summed up."""
        return await self.store.read(compaction.plan, occasion)

    async def commit_summary(self, made: compaction.Plan, text: str, usage: Usage) -> compaction.Summed:
        """Put a summary in the place of what it stands for."""
        return await self._turn_write(compaction.commit_summary, made, text, usage)

    async def fail_summary(self, made: compaction.Plan, code: str, usage: Usage) -> None:
        """Say that no summary came, and what that cost."""
        await self._turn_write(compaction.fail_summary, made, code, usage)

    async def let_go(self, branches: Sequence[BranchKey]) -> None:
        """Agents have left the memory."""
        await self.store.write(residency.let_go, branches)

    async def end(self, turn: TurnKey, ending: Ending) -> None:
        """End a turn that did not end by its own answer; one that has ended already stays as it is."""
        await self._turn_write(end_if_live, turn, ending)

    async def end_now(self, turn: TurnKey, ending: Ending) -> None:
        """`end`, tried once: for a process that is closing."""
        await self._write(end_if_live, turn, ending)

    async def close_turn(self, turn: TurnKey) -> None:
        """The process closes: cut the turn, unless it only waits for the person. Tried once."""
        await self._write(recovery.close_turn, turn)

    async def history(self, head: NodeKey, build: Callable[[tuple[Node, ...], list[CallResult]], T]) -> T:
        """What `build` makes of what is sent of the conversation up to a node, and of its calls' results.

        It runs in a reader's thread: nobody waits while a long conversation is put together.
        """
        return await self.store.read(lambda tx: build(*read_texts(tx, head)))

    async def begin_waiting(
        self, turn: Turn, call: CallKey, request: wait_for.WaitRequest
    ) -> str | Refusal | None:
        """What a wait returns at once, or `None` and the turn is suspended."""
        return await self._turn_write(wait_for.begin_waiting, turn, call, request, self.directory)

    async def began_to_wait(self, turn: Turn, call: CallKey) -> int | None:
        """When a call has first begun to wait, in microseconds of wall time; nothing if it never has."""
        return await self.store.read(Tx.began_to_wait, turn.key, call)

    async def collect_waiting(
        self, turn: Turn, call: CallKey, render: wait_for.RenderWait, *, gives_up: bool
    ) -> str | None:
        """What a wait returns, if there is something or it `gives_up`."""
        return await self._turn_write(wait_for.collect_waiting, turn, call, render, gives_up=gives_up)


def end_if_live(tx: Tx, turn: TurnKey, ending: Ending) -> Ring:
    """End a turn unless somebody has ended it already."""
    row = tx.turn_row(turn)
    found = tx.turn_state(turn)
    if row is None or found is None or found[0] not in ("running", "suspended"):
        return Ring()
    return end(tx, row, ending)
