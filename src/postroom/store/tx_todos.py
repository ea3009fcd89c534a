"""Boards: the statements, with their events."""

import json

from postroom.domain.event import EventKind
from postroom.domain.keys import TodoKey
from postroom.domain.todo import Todo
from postroom.store.tx_log import LogTx


class TodoTx(LogTx):
    """Entries in the store."""

    __slots__ = ()

    def next_todo(self, session: int) -> int:
        """The number that the next entry of a board gets."""
        row = self._one("next_todo", session)
        return int(str(row[0])) if row else 1

    def insert_todo(self, session: int, new: Todo, actor: str, turn: int | None = None) -> Todo:
        """One more entry; its key is given here."""
        key = self._insert(
            "insert_todo", session, new.number, new.subject, new.description, str(new.status), new.owner,
            new.blocked_by, self.now_us, self.now_us,
        )  # fmt: skip
        made = new._replace(key=TodoKey(key))
        self._log_todo(session, made, actor, turn)
        return made

    def set_todo(self, session: int, todo: Todo, actor: str, turn: int | None = None) -> None:
        """An entry is another one from now on."""
        self._do(
            "set_todo", todo.subject, todo.description, str(todo.status), todo.owner, todo.blocked_by,
            self.now_us, todo.key,
        )  # fmt: skip
        self._log_todo(session, todo, actor, turn)

    def _log_todo(self, session: int, todo: Todo, actor: str, turn: int | None) -> None:
        event = {
            "todo": todo.key, "number": todo.number, "status": todo.status, "owner": todo.owner,
            "session": session, "blocked_by": json.loads(todo.blocked_by),
        }  # fmt: skip
        self.event(session, EventKind.TODO_CHANGED, json.dumps(event), actor=actor, turn=turn)

    def todo_row(self, session: int, number: int) -> Todo | None:
        """One entry of a board."""
        return self._find("todo_row", Todo._make, session, number)

    def todos_of_session(self, session: int) -> list[Todo]:
        """A board, in the order of its numbers."""
        return self._each("todos_of_session", Todo._make, session)
