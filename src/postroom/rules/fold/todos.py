"""Folding the events of boards. The words of an entry are not told: they are the arguments of calls."""

from postroom.domain.todo import TodoStatus
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded


def changed(state: Folded, facts: Facts) -> None:
    """`todo.changed`: an entry is made, or is another one from now on."""
    state.todos[facts.key("todo")] = rows.Todo(
        session=facts.key("session"), number=facts.key("number"), status=TodoStatus(facts.word("status")),
        owner=facts.key("owner"), blocked_by=facts.json("blocked_by"),
    )  # fmt: skip
