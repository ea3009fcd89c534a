"""Turns, nodes, calls, waits and tasks: the statements, with their events."""

import json

from postroom.domain.event import EventKind
from postroom.domain.keys import CallKey, MessageKey, NodeKey, TurnKey
from postroom.domain.node import Provenance, Role
from postroom.domain.turn import Call, EndedBy, TurnState
from postroom.store.rows import CallRow, NodeRow, ResultRow, TaskRow, TurnRow
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx


class TurnTx(LogTx):
    """Turns in the store."""

    __slots__ = ()

    def insert_turn(  # noqa: PLR0913 -- a row has as many columns as it has
        self, branch: int, session: int, root: int, chain: int, task: int | None, depth: tuple[int, int],
        rounds_max: int,
    ) -> TurnKey:  # fmt: skip
        """A waiting turn occupies its branch. `depth` is (messages, generations)."""
        public_id = self.new_id()
        turn = self._insert(
            "insert_turn", public_id, branch, session, root, chain, task, depth[0], depth[1], rounds_max,
            self.now_us,
        )  # fmt: skip
        self._do("occupy_branch", turn, branch)
        event = f'{{"turn":{turn},"branch":{branch},"chain":{chain},"task":{task or "null"}}}'
        self.event(session, EventKind.TURN_WAITING, event, turn=turn)
        return TurnKey(turn)

    def begin_turn(  # noqa: PLR0913 -- what is fixed at the start of a turn, in one statement
        self, row: TurnRow, fence: int, chain: int, task: int | None, depth: tuple[int, int], rounds_max: int,
        tools: str,
    ) -> None:  # fmt: skip
        """Waiting → running."""
        self._do("begin_turn", fence, chain, task, depth[0], depth[1], rounds_max, tools, row.turn)
        self._do("fence_branch", fence, task, row.branch)
        event = (
            f'{{"turn":{row.turn},"branch":{row.branch},"fence":{fence},"chain":{chain},"task":{task or "null"},'
            f'"messages":{depth[0]},"generations":{depth[1]}}}'
        )
        self.event(row.session, EventKind.TURN_STARTED, event, turn=row.turn)

    def turn_state(self, turn: int) -> tuple[str, int] | None:
        """(state, fence) of a turn."""
        row = self._one("turn_state", turn)
        return None if row is None else (str(row[0]), int(str(row[1])))

    def turn_row(self, turn: int) -> TurnRow | None:
        """A turn with its branch and session."""
        return _turn(self._one("turn_row", turn))

    def turn_by_public_id(self, public_id: str) -> TurnRow | None:
        """A turn by its public id."""
        return _turn(self._one("turn_by_public_id", public_id))

    def last_turn_of_branch(self, branch: int) -> TurnRow | None:
        """The newest turn of a branch."""
        return _turn(self._one("last_turn_of_branch", branch))

    def suspend_turn(self, row_session: int, turn: int, call: int, task: int) -> None:
        """The turn only waits now: it holds no slot."""
        self._do("set_turn_state", TurnState.SUSPENDED, turn)
        event = f'{{"turn":{turn},"call":{call},"task":{task}}}'
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

    def end_turn(self, row: TurnRow, state: TurnState, reason: str) -> None:
        """The turn is over and its fence is worthless."""
        fence = row.fence + 1
        self._do("end_turn", state, reason, fence, self.now_us, row.turn)
        self._do("free_branch", state, fence, row.branch)
        event = (
            f'{{"turn":{row.turn},"branch":{row.branch},"state":"{state}","fence":{fence},'
            f'"end_reason":{json.dumps(reason)}}}'
        )
        self.event(row.session, EventKind.TURN_ENDED, event, turn=row.turn)

    def waiting_turns_of_tree(self, root: int) -> int:
        """How many turns of a tree wait for a slot."""
        row = self._one("waiting_turns_of_tree", root)
        return int(str(row[0])) if row else 0

    def waiting_turns(self) -> list[tuple[int, int, int]]:
        """(turn, branch, root) of every waiting turn, oldest first."""
        return [(int(str(a)), int(str(b)), int(str(c))) for a, b, c in self._all("waiting_turns")]

    def live_turns(self) -> list[int]:
        """Turns that a dead process left running or suspended, oldest first."""
        rows = [*self._all("running_turns"), *self._all("suspended_turns")]
        return sorted(int(str(r[0])) for r in rows)

    def append_node(  # noqa: PLR0913 -- a row has as many columns as it has
        self, session: int, head: int | None, role: Role, provenance: Provenance, parts: str, turn: int,
        round_: int, message: int | None = None,
    ) -> NodeKey:  # fmt: skip
        """One immutable item behind `head`; the caller moves the branch's head once, at the end."""
        key = self._insert(
            "insert_node", session, role, provenance, head, message, turn, round_, parts, self.now_us
        )
        return NodeKey(key)

    def head_of(self, branch: int) -> NodeKey | None:
        """The head node of a branch."""
        row = self._one("head_of", branch)
        return None if row is None or row[0] is None else NodeKey(int(str(row[0])))

    def move_head(self, session: int, branch: int, head: int, turn: int) -> None:
        """The branch's head follows what was appended."""
        self._do("move_head", head, branch)
        self.event(session, EventKind.NODES_APPENDED, f'{{"branch":{branch},"head":{head}}}', turn=turn)

    def path_to_head(self, head: int) -> list[NodeRow]:
        """The conversation up to a node, oldest first."""
        return [NodeRow._make(r) for r in reversed(self._all("path_to_head", head))]

    def calls_of_turns(self, turns: list[int]) -> list[ResultRow]:
        """Calls and results of many turns at once."""
        return [ResultRow._make(r) for r in self._all("calls_of_turns", json.dumps(turns))]

    def insert_call(
        self, turn: int, round_: int, position: int, provider_id: str, tool: str, arguments: str
    ) -> Call:  # noqa: PLR0913
        """One tool call, open until its result is durable."""
        key = self._insert("insert_call", turn, round_, position, provider_id, tool, arguments)
        return Call(
            key=CallKey(key),
            turn=TurnKey(turn),
            round=round_,
            position=position,
            tool=tool,
            arguments=arguments,
        )

    def end_call(  # noqa: PLR0913 -- a result and what it is tied to
        self, session: int, turn: int, call: int, ended_by: EndedBy, result: str, *, is_error: bool,
        message: int | None = None, delivery: int | None = None, logged: bool = False,
    ) -> bool:  # fmt: skip
        """The one result of a call; `False` when it had one already. `logged`: another event says it."""
        done = self._do("end_call", ended_by, result, int(is_error), message, delivery, call) == 1
        if done and not logged:
            event = f'{{"call":{call},"turn":{turn},"ended_by":"{ended_by}"}}'
            self.event(session, EventKind.CALL_ENDED, event, turn=turn)
        return done

    def set_call_message(self, call: int, message: int) -> None:
        """The message that a call caused, before its result is known."""
        self._do("set_call_message", message, call)

    def open_calls(self, turn: int) -> list[Row]:
        """(key, turn, round, position, tool, arguments) of the calls without a result."""
        return self._all("open_calls", turn)

    def calls_of_round(self, turn: int, round_: int) -> list[CallRow]:
        """The calls of one round in call order."""
        return [CallRow._make(r) for r in self._all("calls_of_round", turn, round_)]

    def insert_wait(self, branch: int, turn: int, call: int, task: int) -> None:
        """A branch waits for a task in a blocking call."""
        self._do("insert_wait", branch, turn, call, task)

    def wait_of(self, branch: int) -> tuple[int, int] | None:
        """(call, task) that a branch waits for."""
        row = self._one("wait_of", branch)
        return None if row is None else (int(str(row[0])), int(str(row[1])))

    def delete_wait(self, branch: int) -> None:
        """The wait is over."""
        self._do("delete_wait", branch)

    def waiters_of_task(self, task: int) -> list[tuple[int, int]]:
        """(branch, turn) of everybody who waits for a task."""
        return [(int(str(a)), int(str(b))) for a, b in self._all("waiters_of_task", task)]

    def insert_task(  # noqa: PLR0913 -- a row has as many columns as it has
        self, task: int, session: int, dispatcher: int, turn: int, target: int, parent: int | None,
        description: str, *, background: bool,
    ) -> None:  # fmt: skip
        """A message whose answer is awaited."""
        self._do("insert_task", task, dispatcher, turn, target, parent, description, int(background))
        event = (
            f'{{"task":{task},"target":{target},"dispatcher":{dispatcher},"dispatcher_turn":{turn},'
            f'"parent":{parent or "null"}}}'
        )
        self.event(session, EventKind.TASK_QUEUED, event, turn=turn)

    def start_task(self, session: int, task: int, turn: int) -> None:
        """Its turn has started."""
        if self._do("start_task", turn, task):
            self.event(session, EventKind.TASK_STARTED, f'{{"task":{task},"turn":{turn}}}', turn=turn)

    def end_task(  # noqa: PLR0913 -- a terminal state is written whole
        self, session: int, task: int, state: str, outcome: str, cause: str, result: str,
        result_message: int | None,
    ) -> bool:  # fmt: skip
        """The terminal state, written once (O-16)."""
        if not self._do("end_task", state, outcome, cause, result, result_message, self.now_us, task):
            return False
        event = {"task": task, "state": state, "outcome": outcome, "cause": cause, "message": result_message}
        self.event(session, EventKind.TASK_ENDED, json.dumps(event))
        return True

    def task_row(self, task: int) -> TaskRow | None:
        """One task."""
        row = self._one("task_row", task)
        return None if row is None else TaskRow._make(row)

    def newest_task_of(self, target: int) -> TaskRow | None:
        """The newest task that a branch was given."""
        row = self._one("newest_task_of", target)
        return None if row is None else TaskRow._make(row)

    def tasks_below(self, task: int) -> list[MessageKey]:
        """A task and every open task that grew out of it."""
        return [MessageKey(int(str(r[0]))) for r in self._all("tasks_below", task)]


def _turn(row: Row | None) -> TurnRow | None:
    return None if row is None else TurnRow._make(row)
