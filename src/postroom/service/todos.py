"""Boards: what the agents of a session write down to be done. Nothing ever runs because an entry exists.

Each change has its call's result in the same transaction, so that a retry of the call changes nothing twice.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, CallKey, SessionKey, TodoKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.todo import Todo, TodoStatus
from postroom.domain.turn import EndedBy, Turn
from postroom.service.receipts import given_name
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What an agent writes into an entry; `None` leaves what stands there."""

    subject: str | None = None
    description: str | None = None
    status: TodoStatus | None = None
    blocked_by: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoLine:
    """One entry with its owner's name, as it is read."""

    number: int
    subject: str
    description: str
    status: str
    owner: str
    blocked_by: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoChanged:
    """An entry as a call has left it, or found it."""

    line: TodoLine
    is_new: bool = False
    is_changed: bool = True


RenderTodo: TypeAlias = Callable[[TodoChanged], str]
"""The surface's words for an entry that its agent has written."""


def create_todo(tx: Tx, turn: Turn, call: CallKey, entry: Entry, render: RenderTodo) -> str | Refusal:
    """A new entry, pending and the agent's own; numbers count up on the board of its session.

    Refuses `unknown_todo` for blockers that are not on the board. Raises `StaleFence`.
    """
    row = tx.owned(turn.key, turn.fence)
    board, blockers = board_of(tx, row.session), entry.blocked_by or ()
    if (refusal := _unknown(tx, board, blockers)) is not None:
        return refusal
    new = Todo(
        TodoKey(0), tx.next_todo(board), entry.subject or "", entry.description or "",
        TodoStatus.PENDING, BranchKey(row.branch), json.dumps(blockers),
    )  # fmt: skip
    made = tx.insert_todo(board, new, actor_of(row.branch), turn.key)
    return _told(tx, turn, call, render(TodoChanged(line=todo_line(tx, made), is_new=True)))


def update_todo(
    tx: Tx, turn: Turn, call: CallKey, number: int, entry: Entry, render: RenderTodo
) -> str | Refusal:
    """Another text, status or other blockers for an entry; who moves its status owns it.

    What it says already is no change, and leaves no event. Refuses `unknown_todo`; raises `StaleFence`.
    """
    row = tx.owned(turn.key, turn.fence)
    board = board_of(tx, row.session)
    found = tx.todo_row(board, number)
    if found is None:
        return Refusal(code=Code.UNKNOWN_TODO, facts={"numbers": str(number)})
    refusal = _unknown(tx, board, entry.blocked_by or (), but=number)
    if refusal is not None:
        return refusal
    now = _changed(found, entry, BranchKey(row.branch))
    if now != found:
        tx.set_todo(board, now, actor_of(row.branch), turn.key)
    told = TodoChanged(line=todo_line(tx, now), is_changed=now != found)
    return _told(tx, turn, call, render(told))


def board_of(tx: Tx, session: SessionKey) -> SessionKey:
    """The session that keeps the board: its own; where each agent has a session, that of the tree's root."""
    row = tx.session_row(session)
    return row.root if tx.policy(row.policy).spawns == "session" else session


def list_todos(tx: Tx, session: SessionKey) -> list[TodoLine]:
    """The board of a session, in the order of its numbers."""
    return [todo_line(tx, todo) for todo in tx.todos_of_session(board_of(tx, session))]


def copy_todos(tx: Tx, source: SessionKey, to: SessionKey, owners: tuple[BranchKey, BranchKey]) -> None:
    """A fork begins with the board of its source. What the first of the owners had is the second one's."""
    for todo in tx.todos_of_session(source):
        owner = owners[1] if todo.owner == owners[0] else todo.owner
        tx.insert_todo(to, todo._replace(owner=owner), "person")


def todo_line(tx: Tx, todo: Todo) -> TodoLine:
    """One entry as it is read."""
    numbers = tuple(json.loads(todo.blocked_by))
    return TodoLine(
        number=todo.number, subject=todo.subject, description=todo.description, status=todo.status,
        owner=_owner(tx, todo.owner), blocked_by=numbers,
    )  # fmt: skip


def _owner(tx: Tx, branch: BranchKey) -> str:
    """Its name; where many sessions share a board, an agent without one is known by its profile."""
    row = tx.branch_row(branch)
    is_shared = tx.policy(tx.session_row(row.session).policy).spawns == "session"
    return row.profile if is_shared and not given_name(tx, branch) else row.name


def _changed(found: Todo, entry: Entry, by: BranchKey) -> Todo:
    status = found.status if entry.status is None else entry.status.value
    return found._replace(
        subject=found.subject if entry.subject is None else entry.subject,
        description=found.description if entry.description is None else entry.description,
        status=status, owner=found.owner if status == found.status else by,
        blocked_by=found.blocked_by if entry.blocked_by is None else json.dumps(entry.blocked_by),
    )  # fmt: skip


def _unknown(tx: Tx, session: SessionKey, numbers: Sequence[int], but: int = 0) -> Refusal | None:
    """The blockers that are not on the board; an entry does not block itself."""
    unknown = [n for n in numbers if n == but or tx.todo_row(session, n) is None]
    if not unknown:
        return None
    return Refusal(code=Code.UNKNOWN_TODO, facts={"numbers": ", ".join(map(str, unknown)), "blockers": 1})


def _told(tx: Tx, turn: Turn, call: CallKey, text: str) -> str:
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=False)
    return text
