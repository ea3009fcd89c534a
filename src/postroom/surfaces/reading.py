"""`read_conversation`: what others have said and done.

It only looks. Whatever somebody else wrote goes through `rules.markers`, and stands indented, so that no text
can begin a turn of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.rules.markers import label, neutralise
from postroom.service.reading import CallLine, Reading, ReadRequest, TurnBlock
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.field_tool import FieldTool
from postroom.tools.base import ToolResult

TURN_CHARS = 2_000
ARGUMENTS_CHARS = 400
RESULT_CHARS = 600
READ_CHARS = 60_000
READ_CHARS_MIN = 1_000
READ_CHARS_MAX = 80_000
"""What of a conversation one call shows (systems.md 1.6)."""
_UNKNOWN_TASK: Final = {
    Code.UNKNOWN_TASK: "there is no task {task}",
    Code.NO_TASK: "task {task} has no result yet: it is {state}",
}

READ_FIELDS = (
    Field(
        name="session_id", type="string", default="", required=False,
        description="A session, an address SID:HEAD, the name of a branch, or the id of a task or message "
        "whose text was shown in part; empty: this session.",
    ),
    Field(
        name="head_id", type="string", default="", required=False,
        description="A branch of the session, or a node up to which to read; empty: where it stands.",
    ),
    Field(
        name="start_turn", type="integer", default=0, required=False,
        description="The first turn to show, counted from 1; -1 is the last one; 0: from the beginning. "
        "Of a task or message: the page.",
    ),
    Field(
        name="end_turn", type="integer", default=0, required=False,
        description="The last turn to show, counted in the same way; 0: to the end.",
    ),
    Field(
        name="include_function_calls", type="boolean", default=True, required=False,
        description="Whether to show the calls of each turn.",
    ),
    Field(
        name="max_chars", type="integer", default=READ_CHARS, required=False,
        description=f"How much to show, from {READ_CHARS_MIN} to {READ_CHARS_MAX} characters.",
    ),
)  # fmt: skip


RefusalText: TypeAlias = Callable[[str, Refusal, Mapping[str, str]], str]
"""A surface's words for a refusal of one of its tools."""


def read_conversation_tool(refusal_text: RefusalText, description: str) -> MailTool:
    """The tool of one surface. It needs no right and costs nothing."""

    async def read_conversation(desk: Desk, _call: Call, values: Values) -> ToolResult | None:
        """A part of a conversation. What is not there is told and no error."""
        request = ReadRequest(
            session=str(values["session_id"]), head=str(values["head_id"]), first=int(values["start_turn"]),
            last=int(values["end_turn"]), with_calls=bool(values["include_function_calls"]),
            max_chars=min(max(int(values["max_chars"]), READ_CHARS_MIN), READ_CHARS_MAX),
        )  # fmt: skip
        found = await desk.read_conversation(request, block_text)
        if isinstance(found, Refusal):
            return ToolResult(text=unread_text(found, request, refusal_text))
        return ToolResult(text=reading_text(found))

    return FieldTool(
        name="read_conversation", description=description, fields=READ_FIELDS, run=read_conversation
    ).made()


def block_text(block: TurnBlock) -> str:
    """One turn: its number and role, its text, its calls."""
    lines = [f"#{block.number} {_role(block)}", *_indented(clip(block.text, TURN_CHARS), 2)]
    for call in block.calls:
        lines += _call(call)
    return "\n".join(lines)


def _role(block: TurnBlock) -> str:
    """Whose words they are. Only the person's own text is the user's alone."""
    if block.role == "summary":
        return "summary (compaction summary of what is above)"
    if block.role != "user" or block.kind == "user":
        return block.role
    root = "spawn root, " if block.is_root else ""
    sender = f" from {label(block.sender)}" if block.sender else ""
    return f"user ({root}{block.kind}{sender})"


def _call(call: CallLine) -> Iterator[str]:
    yield f"  - {label(call.tool)}: {call.state}"
    yield from _named("arguments", call.arguments, ARGUMENTS_CHARS)
    if call.state != "open":
        yield from _named("result", call.result, RESULT_CHARS)


def _named(name: str, text: str, limit_chars: int) -> Iterator[str]:
    """A text behind its name, on one line where it is short."""
    shown = clip(text, limit_chars)
    if len(shown.splitlines()) <= 1:
        yield f"    {name}: {shown}"
        return
    yield f"    {name}:"
    yield from _indented(shown, 6)


def clip(text: str, limit_chars: int) -> str:
    """The beginning of a foreign text, and how much of it is missing."""
    if len(text) <= limit_chars:
        return neutralise(text)
    return f"{neutralise(text[:limit_chars])}… ({len(text) - limit_chars} more characters)"


def _indented(text: str, blanks: int) -> Iterator[str]:
    """No line of it begins where the head of a turn does."""
    return (f"{' ' * blanks}{line}" for line in text.splitlines())


def reading_text(found: Reading) -> str:
    """What was read under its header; where it goes on, if it does."""
    if found.unit == "pages":
        return _page(found)
    session, _, head = found.of.partition(":")
    head = f"session {session}, branch {head}"
    if found.last < found.first:
        return f"{head}: {found.total} turns, and none of them in this range"
    whole = found.first == 1 and found.last == found.total
    what = f"{found.total} turns" if whole else f"turns {found.first}-{found.last} of {found.total}"
    lines = [f"{head}: {what}", *found.texts]
    if found.last < found.until:
        rest = f"turns {found.last + 1}-{found.until}"
        lines.append(f"({rest} are left out here; go on with start_turn={found.last + 1})")
    return _capped("\n\n".join(lines))


def _page(found: Reading) -> str:
    """One page of a long text. Nothing of it is indented: it is what the reader was to get."""
    if not found.texts:
        return f"{found.of}: {found.total} pages, and none has this number"
    head = f"{found.of}: page {found.first} of {found.total}"
    more = f"; go on with start_turn={found.first + 1}" if found.first < found.total else ""
    return _capped(f"{head}{more}\n\n{neutralise(found.texts[0])}")


def _capped(text: str) -> str:
    """A single turn may be longer than a whole answer may be."""
    if len(text) <= READ_CHARS_MAX:
        return text
    note = "\n(cut here)"
    return f"{neutralise(text[: READ_CHARS_MAX - len(note)])}{note}"


def unread_text(refusal: Refusal, request: ReadRequest, refusal_text: RefusalText) -> str:
    """Why nothing could be read."""
    facts = {"to": request.session or request.head, "task": request.session}
    if (words := _UNKNOWN_TASK.get(refusal.code)) is not None:
        named = {**facts, **{name: str(value) for name, value in refusal.facts.items()}}
        shown = {name: label(value) for name, value in named.items()}
        return f"[read_conversation] {words.format_map(shown)}"
    return refusal_text("read_conversation", refusal, facts).replace(
        "[read_conversation error]", "[read_conversation]", 1
    )
