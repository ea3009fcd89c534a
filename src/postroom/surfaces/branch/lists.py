"""`list_agents` and `read_conversation`: who else there is, and what others have said and done.

Both only look. Whatever somebody else wrote goes through `rules.markers`, and stands indented in a
transcript, so that no text can begin a turn of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import Final

from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import ToolSpec
from postroom.rules.markers import label, neutralise
from postroom.service.listing import SCOPES, BranchLine, Listing, ListRequest, SessionLine
from postroom.service.reading import CallLine, Reading, ReadRequest, TurnBlock
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.branch.words import invalid, refusal_text
from postroom.tools.base import ToolResult

TURN_CHARS = 2_000
ARGUMENTS_CHARS = 400
RESULT_CHARS = 600
READ_CHARS = 60_000
READ_CHARS_MIN = 1_000
READ_CHARS_MAX = 80_000
"""What of a conversation one call shows (systems.md 1.6)."""
LIST_CHARS: Final = 40_000
"""How long a list of agents may be: a session may have thousands."""
ROOM_CHARS: Final = 400
"""For the line over a session, and the one that says what is left out."""
KILO: Final = 1_000
_NOTHING: Final = "(no branches)"
_UNKNOWN_TASK: Final = {
    Code.UNKNOWN_TASK: "there is no task {task}",
    Code.NO_TASK: "task {task} has no result yet: it is {state}",
}

LIST_FIELDS = (
    Field(
        name="scope", type="string", default="session", required=False, choices=SCOPES,
        description="session: the branches of this session. all: every session, the last active first. "
        "archived: the branches of this session that were archived or merged.",
    ),
    Field(
        name="limit", type="integer", default=20, required=False, least=1,
        description="With scope all: how many sessions.",
    ),
    Field(
        name="agent_id", type="string", default="", required=False,
        description="With scope all: only sessions of this agent profile.",
    ),
    Field(
        name="source", type="string", default="", required=False, choices=("", "person", "delegation"),
        description="With scope all: only sessions that the person began, or that agents began.",
    ),
)  # fmt: skip
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


async def list_agents(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """The agents of one scope."""
    del call
    values = decode(LIST_FIELDS, given)
    if isinstance(values, str):
        return invalid("list_agents", values)
    request = ListRequest(
        scope=str(values["scope"]), limit=int(values["limit"]), profile=str(values["agent_id"]),
        origin=str(values["source"]),
    )  # fmt: skip
    return ToolResult(text=listing_text(await desk.list_agents(request)))


async def read_conversation(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """A part of a conversation. What is not there is told and no error."""
    del call
    values = decode(READ_FIELDS, given)
    if isinstance(values, str):
        return invalid("read_conversation", values)
    request = ReadRequest(
        session=str(values["session_id"]), head=str(values["head_id"]), first=int(values["start_turn"]),
        last=int(values["end_turn"]), with_calls=bool(values["include_function_calls"]),
        max_chars=min(max(int(values["max_chars"]), READ_CHARS_MIN), READ_CHARS_MAX),
    )  # fmt: skip
    found = await desk.read_conversation(request, block_text)
    return ToolResult(text=unread_text(found, request) if isinstance(found, Refusal) else reading_text(found))


def listing_text(listing: Listing) -> str:
    """Every session with its branches; when they are too many, the first sessions, and the newest of each."""
    lines, left_chars = list[str](), LIST_CHARS
    for at, session in enumerate(listing.sessions):
        shown = list(_session(session, left_chars))
        left_chars -= sum(len(line) + 1 for line in shown)
        if lines and left_chars < 0:
            lines.append(f"({len(listing.sessions) - at} more sessions are left out here)")
            break
        lines += shown
    return "\n".join(lines) or _NOTHING


def _session(session: SessionLine, limit_chars: int) -> Iterator[str]:
    title = f" {label(session.title)}" if session.title else ""
    current = " (this session)" if session.is_current else ""
    yield f"{session.session_id} [{label(session.profile)}]{title}{_busy(session.is_busy)}{current}"
    if not session.branches:
        yield f"  {_NOTHING}"
    shown = _newest([f"  {_branch(branch)}" for branch in session.branches], limit_chars)
    if older := len(session.branches) - len(shown):
        yield f"  ({older} older branches are left out here; their names and addresses are good)"
    yield from shown


def _newest(lines: Sequence[str], limit_chars: int) -> Sequence[str]:
    """The last lines that fit, at least one where there is one."""
    sizes = accumulate(len(line) + 1 for line in reversed(lines))
    fit = sum(1 for _ in takewhile(lambda size: size <= limit_chars - ROOM_CHARS, sizes))
    return lines[-max(fit, 1) :]


def _branch(branch: BranchLine) -> str:
    name = f" «{label(branch.name)}»" if branch.name else ""
    state = f" ({branch.state})" if branch.state else ""
    own = " (you)" if branch.is_own else ""
    preview = f" — {label(branch.preview)}" if branch.preview else ""
    said = f"{branch.turns} turn{'' if branch.turns == 1 else 's'}, {_size(branch.chars)} chars"
    return f"to={branch.address}{name}{_busy(branch.is_busy)}{state}{own} — {said}{preview}"


def _busy(is_busy: bool | None) -> str:  # noqa: FBT001 -- three states, printed
    """Nothing where it is not known."""
    return "" if is_busy is None else " [busy]" if is_busy else " [idle]"


def _size(chars: int) -> str:
    return "<1k" if chars < KILO else f"~{round(chars / KILO)}k"


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


def unread_text(refusal: Refusal, request: ReadRequest) -> str:
    """Why nothing could be read."""
    facts = {"to": request.session or request.head, "task": request.session}
    if (words := _UNKNOWN_TASK.get(refusal.code)) is not None:
        named = {**facts, **{name: str(value) for name, value in refusal.facts.items()}}
        shown = {name: label(value) for name, value in named.items()}
        return f"[read_conversation] {words.format_map(shown)}"
    return refusal_text("read_conversation", refusal, facts).replace(
        "[read_conversation error]", "[read_conversation]", 1
    )


LIST_TOOLS = (
    MailTool(
        spec=ToolSpec(
            name="list_agents",
            description="See which agents there are, where they are and whether they are busy.",
            parameters=schema(LIST_FIELDS),
        ),
        run=list_agents,
    ),
    MailTool(
        spec=ToolSpec(
            name="read_conversation",
            description="Read what an agent has said and done: any branch of any session that you can reach.",
            parameters=schema(READ_FIELDS),
        ),
        run=read_conversation,
    ),
)  # fmt: skip
"""Always shown: they need no right and cost nothing."""
