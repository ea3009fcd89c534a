"""`todo_create`, `todo_update`, `todo_list`: the board that the agents of a session keep for themselves.

Nothing ever runs because an entry exists (systems.md 1.2, 1.6).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from postroom.domain.receipt import Code, Refusal
from postroom.domain.todo import TodoStatus
from postroom.domain.turn import Call
from postroom.rules.markers import cut, label
from postroom.rules.text import is_blank
from postroom.service.todos import Entry, TodoChanged, TodoLine
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk
from postroom.surfaces.bracketed import invalid
from postroom.surfaces.field_tool import FieldTool
from postroom.tools.base import ToolResult

SUBJECT_CHARS_MAX = 200
DESCRIPTION_CHARS_MAX = 4_000
SHOWN_CHARS = 400
"""How much of a description a list shows."""
DONE_SHOWN = 50
"""How many completed entries a list shows, the newest."""
OPEN_SHOWN = 200
"""How many entries of another status it shows, the oldest."""
NUMBER_DIGITS_MAX = 9
_EMPTY: Final = "(no todos)"
_ORDER: Final = (TodoStatus.IN_PROGRESS, TodoStatus.PENDING, TodoStatus.COMPLETED)

_SUBJECT = Field(name="subject", type="string", description="What is to be done, on one line. Not blank.")
_DESCRIPTION = Field(
    name="description", type="string", default="", required=False, description="More about it, if need be."
)
_BLOCKED_BY = Field(
    name="blocked_by", type="string", default="", required=False,
    description="Ids of entries that come first, with commas between them; empty: none.",
)  # fmt: skip
CREATE_FIELDS = (_SUBJECT, _DESCRIPTION, _BLOCKED_BY)
UPDATE_FIELDS = (
    Field(name="id", type="string", description="The id of the entry."),
    Field(
        name="status", type="string", required=False, choices=tuple(TodoStatus),
        description="How it stands now; you become its owner.",
    ),
    Field(name="subject", type="string", required=False, description="What is to be done, anew."),
    Field(name="description", type="string", required=False, description="More about it, anew."),
    Field(name="blocked_by", type="string", required=False, description=_BLOCKED_BY.description),
)  # fmt: skip


async def todo_create(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """A new entry, pending and the caller's own."""
    entry = _entry(values)
    if isinstance(entry, str):
        return invalid("todo_create", entry)
    return _refused("todo_create", await desk.create_todo(call, entry, changed_text))


async def todo_update(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Another text, status or other blockers for an entry."""
    entry, number = _entry(values), _number(str(values["id"]))
    if isinstance(entry, str):
        return invalid("todo_update", entry)
    if number is None:
        return _refused("todo_update", Refusal(code=Code.UNKNOWN_TODO, facts={"numbers": str(values["id"])}))
    return _refused("todo_update", await desk.update_todo(call, number, entry, changed_text))


async def todo_list(desk: Desk, _call: Call, _values: Values) -> ToolResult | None:
    """The whole board, by status."""
    return ToolResult(text=board_text(await desk.list_todos()))


def changed_text(changed: TodoChanged) -> str:
    """What a call has made of an entry."""
    how = "created" if changed.is_new else "updated" if changed.is_changed else "unchanged"
    return f"[todo {how}] {_line(changed.line, changed.line.blocked_by)}: {changed.line.status}"


def board_text(lines: Sequence[TodoLine]) -> str:
    """The board: what is being done, then what is to be done, then what is done."""
    if not lines:
        return _EMPTY
    return "\n".join(line for status in _ORDER for line in _group(lines, status))


def _group(lines: Sequence[TodoLine], status: TodoStatus) -> Iterator[str]:
    """The entries of one status. Only what is not done yet blocks another entry."""
    is_open = {line.number for line in lines if line.status != TodoStatus.COMPLETED}
    own = [line for line in lines if line.status == status]
    if not own:
        return
    yield f"{status}:"
    is_done = status is TodoStatus.COMPLETED
    shown = own[-DONE_SHOWN:] if is_done else own[:OPEN_SHOWN]
    if (left := len(own) - len(shown)) > 0:
        yield f"  ({left} {'older' if is_done else 'newer'} ones are left out)"
    for line in shown:
        yield f"  {_line(line, [n for n in line.blocked_by if n in is_open])}"
        if line.description:
            yield f"      {cut(label(line.description), SHOWN_CHARS)}"


def _line(line: TodoLine, blocked_by: Sequence[int]) -> str:
    blocked = f" (blocked by {', '.join(f'#{n}' for n in blocked_by)})" if blocked_by else ""
    return f"#{line.number} {label(line.subject)} ({label(line.owner)}){blocked}"


def _entry(values: Values) -> Entry | str:
    """What the arguments write, or what is wrong with them."""
    blockers = _numbers(str(values["blocked_by"])) if "blocked_by" in values else None
    if isinstance(blockers, str):
        return f"blocked_by names no entry: {label(blockers)[:SUBJECT_CHARS_MAX]}"
    subject, description = _text(values, "subject"), _text(values, "description")
    if subject is not None and (is_blank(subject) or len(subject) > SUBJECT_CHARS_MAX):
        return f"subject is required, and has at most {SUBJECT_CHARS_MAX} characters"
    if description is not None and len(description) > DESCRIPTION_CHARS_MAX:
        return f"description has more than {DESCRIPTION_CHARS_MAX} characters"
    status = TodoStatus(str(values["status"])) if "status" in values else None
    return Entry(subject=subject, description=description, status=status, blocked_by=blockers)


def _text(values: Values, name: str) -> str | None:
    return str(values[name]) if name in values else None


def _number(text: str) -> int | None:
    """An id as it is printed, with or without the mark before it."""
    digits = text.strip().removeprefix("#")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= NUMBER_DIGITS_MAX
    return int(digits) if is_number else None


def _numbers(text: str) -> tuple[int, ...] | str:
    """A comma list of ids, each once; or the part that is none."""
    parts = [part for part in text.split(",") if part.strip()]
    found = {part: _number(part) for part in parts}
    wrongs = [part.strip() for part, number in found.items() if number is None]
    if wrongs:
        return wrongs[0]
    return tuple(dict.fromkeys(number for number in found.values() if number is not None))


def _refused(tool: str, refusal: Refusal | None) -> ToolResult | None:
    if refusal is None:
        return None
    numbers = label(str(refusal.facts.get("numbers", "")))[:SUBJECT_CHARS_MAX]
    what = (
        "blocked_by names no other entry of the board"
        if "blockers" in refusal.facts
        else "no entry has this id"
    )
    text = f"[{tool} error] {what}: {numbers}; todo_list shows the board ({refusal.code})"
    return ToolResult(text=text, is_error=True, refusal=refusal.code)


TODO_TOOLS = (
    FieldTool(
        name="todo_create", fields=CREATE_FIELDS, run=todo_create,
        description="Write down something to be done on the board of this session. Starts nothing.",
    ).made(),
    FieldTool(
        name="todo_update", fields=UPDATE_FIELDS, run=todo_update,
        description="Change an entry of the board. Starts nothing.",
    ).made(),
    FieldTool(
        name="todo_list", description="Read the board of this session.", fields=(), run=todo_list
    ).made(),
)  # fmt: skip
"""Always shown: they need no right and cost nothing."""
