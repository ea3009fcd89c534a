"""What tools that list, read and plan may ask of the turn that runs them. They deliver nothing."""

from typing import Protocol

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.service.todos import Entry, RenderTodo, TodoLine


class LookDesk(Protocol):
    """The part of a desk for lists and boards."""

    async def create_todo(self, call: Call, entry: Entry, render: RenderTodo) -> Refusal | None:
        """A new entry of the session's board; the call's result is durable unless refused."""
        ...

    async def update_todo(self, call: Call, number: int, entry: Entry, render: RenderTodo) -> Refusal | None:
        """Another text, status or other blockers; the call's result is durable unless refused."""
        ...

    async def list_todos(self) -> list[TodoLine]:
        """The session's board, in the order of its numbers."""
        ...
