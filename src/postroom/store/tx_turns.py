"""Turns, nodes and tasks: the statements, with their events."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import NodeKey, TurnKey
from postroom.domain.node import SAID, Node, Provenance, Role
from postroom.domain.task import Task, TaskState
from postroom.domain.turn import LIVE_STATES, TurnState
from postroom.errors import IllegalMove, PredecessorMissing
from postroom.rules import lifecycle
from postroom.store.rows import TurnRow
from postroom.store.tx_log import LogTx


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A turn about to wait for its slot."""

    branch: int
    session: int
    root: int
    trigger: str
    chain: int
    task: int | None
    messages: int
    generations: int
    rounds_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What is fixed when a turn starts."""

    fence: int
    chain: int
    task: int | None
    messages: int
    generations: int
    rounds_max: int
    tools: str
    answers: int | None = None
    """The mail whose sender is owed what the turn says."""
    lineage: int | None = None
    """The task under which it runs."""
    profile: str = ""
    """As whom it runs; empty: as its branch."""
    limits: str = ""
    """What it may do at most; empty: what its branch may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """A task about to be given."""

    task: int
    dispatcher: int
    turn: int
    target: int
    parent: int | None
    description: str
    background: bool
    made_agent: bool = True
    """Whether its agent was made for it."""
    archives: bool = False
    """Whether that agent is archived at its end."""
    is_pending: bool = False
    """Whether the agent has a turn of something else."""


class Cancelling(NamedTuple):
    """What of an agent's work is ended: a task, its turn, or both; by which call of another agent."""

    branch: int
    task: int | None
    ended: int | None
    call: int | None


class TurnTx(LogTx):
    """Turns in the store."""

    __slots__ = ()

    def insert_turn(self, new: NewTurn) -> TurnKey:
        """A waiting turn occupies its branch."""
        turn = self._insert(
            "insert_turn", self.new_id(), new.branch, new.session, new.root, new.trigger, new.chain, new.task,
            new.messages, new.generations, new.rounds_max, self.now_us,
        )  # fmt: skip
        self._do("occupy_branch", turn, new.branch)
        self._do("touch_session", self.now_us, new.session)
        event = (
            f'{{"turn":{turn},"branch":{new.branch},"chain":{new.chain},"task":{new.task or "null"},'
            f'"trigger":"{new.trigger}"}}'
        )
        self.event(new.session, EventKind.TURN_WAITING, event, turn=turn)
        return TurnKey(turn)

    def begin_turn(self, row: TurnRow, begin: Beginning) -> None:
        """Waiting to running: its fence, its chain and its tools are fixed here; its agent is in memory."""
        b = begin
        self.make_resident(row.branch, row.resident_epoch)
        self._do(
            "begin_turn", b.fence, b.chain, b.task, b.messages, b.generations, b.rounds_max, b.tools,
            b.answers, b.lineage, b.profile, b.limits, row.turn,
        )  # fmt: skip
        event = (
            f'{{"turn":{row.turn},"branch":{row.branch},"fence":{b.fence},"chain":{b.chain},'
            f'"task":{b.task or "null"},"messages":{b.messages},"generations":{b.generations},'
            f'"answers":{b.answers or "null"},"lineage":{b.lineage or "null"}}}'
        )
        self.event(row.session, EventKind.TURN_STARTED, event, turn=row.turn)

    def turn_state(self, turn: int) -> tuple[str, int] | None:
        """(state, fence) of a turn."""
        row = self._one("turn_state", turn)
        return None if row is None else (str(row[0]), int(str(row[1])))

    def turn_row(self, turn: int) -> TurnRow | None:
        """A turn with its branch and session."""
        return self._find("turn_row", TurnRow._make, turn)

    def turn_by_public_id(self, public_id: str) -> TurnRow | None:
        """A turn by its public id."""
        return self._find("turn_by_public_id", TurnRow._make, public_id)

    def last_turn_of_branch(self, branch: int) -> TurnRow | None:
        """The newest turn of a branch."""
        return self._find("last_turn_of_branch", TurnRow._make, branch)

    def last_begun_turn(self, branch: int) -> TurnRow | None:
        """The newest turn of a branch that has started."""
        return self._find("last_begun_turn", TurnRow._make, branch)

    def suspend_turn(self, row_session: int, turn: int, call: int, task: int | None) -> None:
        """The turn only waits now: it holds no slot."""
        self._do("set_turn_state", TurnState.SUSPENDED, turn)
        event = f'{{"turn":{turn},"call":{call},"task":{task or "null"}}}'
        self.event(row_session, EventKind.TURN_SUSPENDED, event, turn=turn)

    def unsuspend_turn(self, row_session: int, turn: int) -> None:
        """The wait is over."""
        self._do("set_turn_state", TurnState.RUNNING, turn)
        self.event(row_session, EventKind.TURN_RESUMED, f'{{"turn":{turn}}}', turn=turn)

    def deepen_turn(self, session: int, turn: int, messages: int, generations: int) -> None:
        """A steer of a deeper path joined; the turn's numbers never fall."""
        self._do("set_turn_depth", messages, generations, turn)
        event = f'{{"turn":{turn},"messages":{messages},"generations":{generations}}}'
        self.event(session, EventKind.TURN_DEEPENED, event, turn=turn)

    def set_turn_round(self, turn: int, round_: int) -> None:
        """One more round is committed."""
        self._do("set_turn_round", round_, turn)

    def cap_turn(self, session: int, turn: int) -> None:
        """Its cap on rounds is reached: only an answer without tools is left to it."""
        self._do("cap_turn", turn)
        self.event(session, EventKind.TURN_CAPPED, f'{{"turn":{turn}}}', turn=turn)

    def carry_turn_on(self, row: TurnRow) -> None:
        """A turn that was cut goes on in this process; its old holder can write no more."""
        fence, resumes = row.fence + 1, row.resumes + 1
        self.make_resident(row.branch, row.resident_epoch)
        self._do("carry_turn_on", fence, resumes, row.turn)
        event = f'{{"turn":{row.turn},"fence":{fence},"resumes":{resumes}}}'
        self.event(row.session, EventKind.TURN_CARRIED_ON, event, turn=row.turn)

    def count_review(self, row: TurnRow) -> None:
        """Reviewers have let a call through for what the person asked for in the turn."""
        reviews = row.reviews + 1
        self._do("count_review", reviews, row.turn)
        event = f'{{"turn":{row.turn},"reviews":{reviews}}}'
        self.event(row.session, EventKind.TURN_REVIEWED, event, turn=row.turn)

    def end_turn(self, row: TurnRow, state: TurnState, reason: str) -> None:
        """The turn is over and its fence is worthless."""
        fence = row.fence + 1
        self._do("end_turn", state, reason, fence, self.now_us, row.turn)
        self._do("free_branch", state, int(row.state in LIVE_STATES), row.branch)
        self._do("touch_session", self.now_us, row.session)
        event = (
            f'{{"turn":{row.turn},"branch":{row.branch},"state":"{state}","fence":{fence},'
            f'"end_reason":{json.dumps(reason)}}}'
        )
        self.event(row.session, EventKind.TURN_ENDED, event, turn=row.turn)

    def log_cancel(self, session: int, cancelled: Cancelling, *, actor: str, turn: int | None = None) -> None:
        """Who ended what an agent worked on: in that agent's log, with the `turn` of who did."""
        event = {"branch": cancelled.branch, "task": cancelled.task, "ended": cancelled.ended,
                 "call": cancelled.call}  # fmt: skip
        self.event(session, EventKind.BRANCH_CANCELLED, json.dumps(event), actor=actor, turn=turn)

    def busy_turns_of_tree(self, root: int) -> int:
        """How many turns of a tree hold a slot or wait for one."""
        return self._number("busy_turns_of_tree", root, root)

    def waiting_turns(self) -> list[tuple[int, int, int]]:
        """(turn, branch, root) of every waiting turn, oldest first."""
        return [(int(str(a)), int(str(b)), int(str(c))) for a, b, c in self._all("waiting_turns")]

    def live_turns(self) -> list[int]:
        """Turns that a dead process left running or suspended, oldest first."""
        rows = [*self._all("running_turns"), *self._all("suspended_turns")]
        return sorted(int(str(r[0])) for r in rows)

    def append_node(  # noqa: PLR0913 -- a row has as many columns as it has
        self, session: int, head: int | None, role: Role, provenance: Provenance, parts: str, turn: int,
        round_: int, message: int | None = None, *, root_of: int | None = None,
    ) -> NodeKey:  # fmt: skip
        """One immutable item behind `head`; the caller moves the branch's head once, at the end.

        Only the first node of a branch has no predecessor, and says so with `root_of`; that of a branch which
        a call made names the answer with the call as its caller. Raises `PredecessorMissing` (OP-93).
        """
        if head is None and root_of is None:
            raise PredecessorMissing(f"a {role} of turn {turn} follows nothing and begins no branch")
        caller = None if head is not None else self._one("caller_of_branch", root_of)
        key = self._insert(
            "insert_node", session, role, provenance, head, message, turn, round_, parts, self.now_us,
            int(role in SAID), head, None if caller is None or caller[0] is None else int(str(caller[0])),
        )  # fmt: skip
        return NodeKey(key)

    def head_of(self, branch: int) -> NodeKey | None:
        """The head node of a branch."""
        return self._value("head_of", NodeKey, branch)

    def head_node(self, branch: int) -> tuple[str, int, int] | None:
        """(role, turn, round) of what was said last on a branch."""
        row = self._one("head_node", branch)
        return None if row is None else (str(row[0]), int(str(row[1])), int(str(row[2])))

    def move_head(
        self, session: int, branch: int, head: int, turn: int, chars: int, *, answers: int = 0
    ) -> None:
        """The branch's head follows what was appended; `chars` is how much that adds to a request.

        `answers`: how many of the nodes are answers, which its mail is measured by.
        """
        self._do("move_head", head, chars, answers, branch)
        event = f'{{"branch":{branch},"head":{head},"chars":{chars}}}'
        self.event(session, EventKind.NODES_APPENDED, event, turn=turn)

    def count_empty_answer(self, branch: int) -> None:
        """An answer without text and calls: no node, but one answer more."""
        self._do("count_empty_answer", branch)

    def path_to_head(self, head: int) -> list[Node]:
        """The conversation up to a node, oldest first."""
        return list(map(Node._make, reversed(self._all("path_to_head", head))))

    def newest_texts(self, head: int, limit: int) -> list[Node]:
        """The last nodes of a conversation, newest first, without the nodes of results."""
        return self._each("newest_texts", Node._make, head, limit)

    def keep_turn(self, row: TurnRow) -> None:
        """A turn that only waits for the person goes on in this process; its old holder can write no more."""
        fence = row.fence + 1
        self.make_resident(row.branch, row.resident_epoch)
        self._do("refence_turn", fence, row.turn)
        self.event(row.session, EventKind.TURN_KEPT, f'{{"turn":{row.turn},"fence":{fence}}}', turn=row.turn)

    def insert_task(self, session: int, new: NewTask) -> str:
        """A message whose answer is awaited; its id, `t_` and 14 hexadecimal digits."""
        public_id = self.new_task_id()
        state = TaskState.PENDING if new.is_pending else TaskState.QUEUED
        self._do(
            "insert_task", new.task, public_id, str(state), new.dispatcher, new.turn, new.target, new.parent,
            new.description, int(new.background), int(new.made_agent), int(new.archives),
        )  # fmt: skip
        event = (
            f'{{"task":{new.task},"target":{new.target},"dispatcher":{new.dispatcher},'
            f'"dispatcher_turn":{new.turn},"parent":{new.parent or "null"},"state":"{state}",'
            f'"id":"{public_id}","made_agent":{int(new.made_agent)},"archives":{int(new.archives)}}}'
        )
        self.event(session, EventKind.TASK_QUEUED, event, turn=new.turn)
        return public_id

    def line_up_task(self, session: int, task: int) -> None:
        """A turn is made for a task that lay in a mailbox."""
        if self._task_before(task, TaskState.QUEUED) is TaskState.PENDING:
            self._do("line_up_task", task)
            self.event(session, EventKind.TASK_LINED_UP, f'{{"task":{task}}}')

    def start_task(self, session: int, task: int, turn: int) -> None:
        """Its turn has started."""
        if self._task_before(task, TaskState.RUNNING) is not None:
            self._do("start_task", turn, task)
            self.event(session, EventKind.TASK_STARTED, f'{{"task":{task},"turn":{turn}}}', turn=turn)

    def end_task(  # noqa: PLR0913 -- a terminal state is written whole
        self, session: int, task: int, state: str, outcome: str, cause: str, result: str,
        result_message: int | None,
    ) -> bool:  # fmt: skip
        """The terminal state, written once (O-16)."""
        if self._task_before(task, TaskState(state)) is None:
            return False
        self._do("end_task", state, outcome, cause, result, result_message, self.now_us, task)
        event = {"task": task, "state": state, "outcome": outcome, "cause": cause, "message": result_message}
        self.event(session, EventKind.TASK_ENDED, json.dumps(event))
        return True

    def _task_before(self, task: int, after: TaskState) -> TaskState | None:
        """The one place where a task's move is decided: where it comes from, `None` if it has ended before.

        Raises `IllegalMove` for a step that no task may take.
        """
        row = self._one("task_state", task)
        before = None if row is None else TaskState(str(row[0]))
        if before is None or lifecycle.is_absorbed(before):
            return None
        if not lifecycle.is_legal_for_task(before, after):
            raise IllegalMove(f"task {task} may not go from {before} to {after}")
        return before

    def task_row(self, task: int) -> Task | None:
        """One task."""
        return self._find("task_row", Task._make, task)

    def newest_task_of(self, target: int) -> Task | None:
        """The newest task that a branch was given."""
        return self._find("newest_task_of", Task._make, target)

    def open_task_of(self, target: int) -> Task | None:
        """The open task of a branch."""
        return self._find("open_task_of", Task._make, target)

    def last_answer_of(self, branch: int) -> str | None:
        """The parts of the last answer in the newest turn of a branch that has ended."""
        return self._value("last_answer_of", str, branch)
