"""The service as the rooms above it use it: one async method a use case, one commit each.

After every commit the ring goes to the runtime: a hint which turns wait, which were ended from
outside and which awaited tasks are over. Losing it costs time, never mail.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from postroom.clock import Clock
from postroom.domain.ask import ApprovalMode, Opinion, Scope
from postroom.domain.goal import Goal
from postroom.domain.keys import BranchKey, CallKey, ProducerKey, SessionKey, TurnKey
from postroom.domain.node import CallResult, Node
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.errors import StoreFault
from postroom.faults import reach
from postroom.llm.port import ModelAnswer, Purpose, Usage
from postroom.rules.goals import Item
from postroom.rules.permissions import Rule
from postroom.service import (
    asks,
    cancel,
    decisions,
    goals,
    hooks,
    producers,
    recovery,
    rights,
    send,
    side_calls,
    stops,
    tasks,
    timers,
    turns,
    words,
)
from postroom.service.close import Ending, end
from postroom.service.delegate import Order, Spawned, delegate
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.fork import ForkView, fork
from postroom.service.recall import recall
from postroom.service.revert import Reverted, revert
from postroom.service.rights import Wish
from postroom.service.say import Opening, Said, Text, say, say_new
from postroom.service.start import NotStarted, Started, start
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.tx_work import TimerRow

P = ParamSpec("P")
T = TypeVar("T")
PAUSE_FIRST_S = 0.2
"""A turn that cannot write waits this long first, then twice as long each time."""
PAUSE_LONGEST_S = 5.0


class Office:
    """Every durable change of mail, turns and tasks. `on_ring` and `on_pause` belong to the runtime."""

    def __init__(self, store: SqliteStore, directory: Directory, clock: Clock) -> None:
        self.store = store
        self.directory = directory
        self.clock = clock
        self.on_ring: Callable[[Ring], None] = lambda _: None
        self.on_pause: Callable[[StoreFault], None] = lambda _: None
        self.overlays: dict[SessionKey, str] = {}
        """The person's rules over trees that got other ones in this process; running turns look here."""

    async def patient(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """A turn's write: while the disk is full, read-only or locked the turn waits, then goes on."""
        pause_s = PAUSE_FIRST_S
        while True:
            try:
                return await attempt()
            except StoreFault as fault:
                if not fault.retryable:
                    raise
                self.on_pause(fault)
            await self.clock.sleep_s(pause_s)
            pause_s = min(pause_s * 2, PAUSE_LONGEST_S)

    async def _write(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, and ring for what the commit changed, also when the caller is cancelled meanwhile."""
        return await self.store.write_then(self._ring_for, function, *args, **kwargs)

    async def _turn_write(
        self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self.patient(lambda: self._write(function, *args, **kwargs))

    def _ring_for(self, outcome: object) -> None:
        ring = outcome if isinstance(outcome, Ring) else getattr(outcome, "ring", None)
        if isinstance(ring, Ring):
            reach("end.before_ring" if isinstance(outcome, turns.Step) else "ring.before")
            self.on_ring(ring)

    async def send(self, draft: send.Draft, then: Callable[[send.Sent | None], None]) -> send.Sent:
        """Accept one message of an agent's call, or refuse it. Durable on return.

        `then` hears the outcome right after the commit, `None` on a fault: it owns the started turn.
        """

        def settle(sent: send.Sent | None) -> None:
            self._ring_for(sent)
            then(sent)

        return await self.store.write_then(settle, send.accept, draft, self.directory)

    async def say(self, branch: BranchKey, text: Text) -> Said | Refusal:
        """Accept the person's text for a branch. Durable on return."""
        return await self._write(say, branch, text)

    async def say_new(self, opening: Opening, text: Text) -> Said | Refusal:
        """Open a session with the person's first text. Durable on return."""
        return await self._write(say_new, opening, text)

    async def start(self, turn: TurnKey) -> Started | NotStarted:
        """Start a waiting turn and claim what opens it."""
        return await self._turn_write(start, turn, self.directory)

    async def answer(self, turn: Turn, answer: ModelAnswer, facts: AgentFacts) -> turns.Step:
        """Commit a model's answer; it may be the end of the turn."""
        return await self._turn_write(turns.commit_answer, turn, answer, facts)

    async def end_call(
        self, turn: Turn, call: Call, outcome: turns.Outcome, facts: AgentFacts
    ) -> turns.Step | None:
        """Commit the result of a call that did not write its own."""
        return await self._turn_write(turns.end_call, turn, call, outcome, facts)

    async def close_round(self, turn: Turn, facts: AgentFacts) -> turns.Step:
        """All calls have their result: append them and take the next boundary's mail."""
        return await self._turn_write(turns.close_round, turn, facts)

    async def end(self, turn: TurnKey, ending: Ending) -> None:
        """End a turn that did not end by its own answer; one that has ended already stays as it is."""
        await self._turn_write(end_if_live, turn, ending)

    async def close_turn(self, turn: TurnKey) -> None:
        """The process closes: cut the turn, unless it only waits for the person. Tried once."""
        await self._write(recovery.close_turn, turn)

    async def end_now(self, turn: TurnKey, ending: Ending) -> None:
        """`end`, tried once: for a process that is closing."""
        await self._write(end_if_live, turn, ending)

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

    async def judge(
        self, turn: Turn, call: CallKey, wish: Wish, facts: AgentFacts, opinion: Opinion | None
    ) -> asks.Verdict:
        """Decide on a call before it is made; it may be that the person is asked now."""
        return await self._turn_write(asks.judge, turn, call, wish, facts, opinion)

    async def is_still_allowed(self, root: SessionKey, call: CallKey, facts: AgentFacts, wish: Wish) -> bool:
        """Whether a tool's call may be made by the rules of this moment, some of which are new."""
        return await self.store.read(rights.is_still_allowed, root, call, facts, wish)

    async def persons_text(self, turn: Turn) -> str:
        """What the person wrote last, for whoever decides in their place."""
        return await self.store.read(side_calls.persons_text, turn)

    async def record_side_call(
        self, turn: Turn, call: CallKey, purpose: Purpose, usage: Usage, outcome: str
    ) -> None:
        """Charge a side call to the turn's chain."""
        await self._turn_write(side_calls.record_side_call, turn, call, purpose, usage, outcome)

    async def collect_ask(self, turn: Turn, call: CallKey) -> bool:
        """Whether the ask that a call waits for has ended; then the turn goes on."""
        return await self._turn_write(asks.collect_ask, turn, call)

    async def open_question(self, turn: Turn, call: CallKey, question: asks.Question) -> Refusal | None:
        """Ask the person for an agent; the turn is suspended until they answer."""
        return await self._turn_write(asks.open_question, turn, call, question)

    async def collect_answer(self, turn: Turn, call: CallKey, render: asks.RenderAnswer) -> str | None:
        """The person's answer as the call's result, once it is there, or once none will come."""
        return await self._turn_write(asks.collect_answer, turn, call, render)

    async def approve(self, ask_id: str, scope: Scope) -> decisions.Decided | Refusal:
        """Give leave, for one call or for the tree."""
        return await self._write(decisions.approve, ask_id, scope)

    async def deny(self, ask_id: str, reason: str) -> decisions.Decided | Refusal:
        """Refuse leave."""
        return await self._write(decisions.deny, ask_id, reason)

    async def answer_question(self, ask_id: str, text: str) -> decisions.Decided | Refusal:
        """Answer an agent's question."""
        return await self._write(decisions.answer, ask_id, text)

    async def set_mode(self, root: SessionKey, mode: ApprovalMode) -> None:
        """Who decides the asks of a tree."""
        await self._write(decisions.set_mode, root, mode)

    async def set_attended(self, root: SessionKey, *, attended: bool) -> None:
        """Whether somebody is there to answer a tree's questions."""
        await self._write(decisions.set_attended, root, attended=attended)

    async def set_overlay(self, root: SessionKey, rules: Sequence[Rule]) -> None:
        """Lay the person's rules over a tree; they hold from the next call on."""
        await self.change_overlay(root, lambda _: rules)

    async def change_overlay(self, root: SessionKey, change: decisions.ChangeRules) -> None:
        """Lay what `change` makes of the rules over a tree there; nobody changes them in between."""

        def hold(overlay: str | None) -> None:
            """Right after the commit, also when the caller has gone meanwhile: running turns look here."""
            if overlay is not None:
                self.overlays[root] = overlay

        await self.store.write_then(hold, decisions.change_overlay, root, change)

    async def stop(self, branch: BranchKey, runs: stops.Runs) -> stops.Stopped:
        """Pause a branch and everything below it."""
        return await self._write(stops.stop, branch, runs)

    async def cancel(self, branch: BranchKey) -> tasks.Cancelled | Refusal:
        """End a branch's turn or task; pauses nothing."""
        return await self._write(cancel.cancel, branch)

    async def resume(self, branch: BranchKey) -> Ring | Refusal:
        """Lift a pause, open a turn for parked mail, or go on from an interrupted turn."""
        return await self._write(stops.resume, branch)

    async def retry(self, message_id: str) -> stops.Retried | Refusal:
        """Accept a quarantined message's body again."""
        return await self._write(stops.retry, message_id)

    async def fork(self, branch: BranchKey, to: str | None) -> ForkView | Refusal:
        """Begin a session where an agent stood."""
        return await self._write(fork, branch, to)

    async def revert(self, branch: BranchKey, to: str, *, keeps_tasks: bool) -> Reverted | Refusal:
        """Take an agent back to where it stood."""
        return await self._write(revert, branch, to, keeps_tasks=keeps_tasks)

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

    async def set_timer(self, branch: BranchKey, text: Text, due_us: int) -> TimerRow | Refusal:
        """Keep a text of the person until its time. Durable on return."""
        return await self._write(timers.set_timer, branch, text, due_us)

    async def cancel_timer(self, timer_id: str) -> TimerRow | Refusal:
        """Take a text back before its time."""
        return await self._write(timers.cancel_timer, timer_id)

    async def fire_timers(self) -> timers.Fired:
        """Say every text whose time has come."""
        return await self._turn_write(timers.fire_timers)

    async def plugin_send(self, branch: BranchKey, text: hooks.PluginText) -> hooks.PluginSent | Refusal:
        """Accept a plugin's message. Durable on return."""
        return await self._write(hooks.plugin_send, branch, text)

    async def recall(self, message_id: str, plugin: str = "") -> Refusal | None:
        """Take an unread message back, as the person or as a plugin."""
        return await self._write(recall, message_id, plugin)

    async def change_call(self, turn: Turn, call: CallKey, arguments: str, by: str) -> None:
        """Put a hook's arguments beside the model's."""
        await self._turn_write(hooks.change_call, turn, call, arguments, by)

    async def note_hooks(self, turn: Turn, call: CallKey, notes: Sequence[hooks.HookNote]) -> None:
        """Keep which hooks denied or failed."""
        await self._turn_write(hooks.note_hooks, turn, call, notes)

    async def goal(self, branch: BranchKey) -> Goal | None:
        """The goal that an agent works on, active or paused."""
        return await self.store.read(Tx.open_goal, branch)

    async def change_goal(
        self, turn: Turn, call: CallKey, items: Sequence[Item], render: goals.RenderGoal
    ) -> str | Refusal:
        """Another list for the agent's goal, with the call's result."""
        return await self._turn_write(goals.change_goal, turn, call, items, render)

    async def set_goal(self, branch: BranchKey, text: str) -> goals.GoalMoved | Refusal:
        """Give a root agent a goal. Durable on return."""
        return await self._write(goals.set_goal, branch, text)

    async def pause_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Remind no more until the goal is resumed."""
        return await self._write(goals.pause_goal, branch)

    async def resume_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Go on with the goal."""
        return await self._write(goals.resume_goal, branch)

    async def cancel_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Give the goal up."""
        return await self._write(goals.cancel_goal, branch)

    async def index_words(self) -> bool:
        """Make the next slice of texts searchable; whether there are more."""
        return await self.store.write(words.index_words)

    async def recover(self, *, wakes: bool = True) -> list[recovery.Kept]:
        """End what a dead process left alive, then wake everything that has a reason to run.

        What is returned waited for the person only, and goes on. A process that runs no turn does not wake:
        parked mail waits for one that does.
        """
        kept: list[recovery.Kept] = []
        for turn in await self.store.write(recovery.begin_epoch):
            found = await self.store.write(recovery.recover_turn, turn, self.directory, runs=wakes)
            kept += [] if found is None else [found]
            reach("recovery.between")
        await self.store.write(producers.end_lost_work)
        if wakes:
            self.on_ring(Ring(woken=await self.store.write(recovery.sweep)))
        return kept

    async def history(self, head: int, build: Callable[[list[Node], list[CallResult]], T]) -> T:
        """What `build` makes of the conversation up to a node and of the results of its calls.

        It runs in a reader's thread: nobody waits while a long conversation is put together.
        """
        return await self.store.read(lambda tx: build(*read_history(tx, head)))


def end_if_live(tx: Tx, turn: TurnKey, ending: Ending) -> Ring:
    """End a turn unless somebody has ended it already."""
    row = tx.turn_row(turn)
    found = tx.turn_state(turn)
    if row is None or found is None or found[0] not in ("running", "suspended"):
        return Ring()
    return end(tx, row, ending)


def read_history(tx: Tx, head: int) -> tuple[list[Node], list[CallResult]]:
    """Texts and answers oldest first, and every call result of the turns they belong to."""
    nodes = tx.texts_to_head(head)
    return nodes, tx.calls_of_turns(sorted({node.turn for node in nodes}))
