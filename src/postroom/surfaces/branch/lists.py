"""`list_agents`: who else there is. Whatever somebody else wrote goes through `rules.markers`."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Final

from postroom.domain.turn import Call
from postroom.rules.markers import label
from postroom.service.listing import SCOPES, BranchLine, Listing, ListRequest, SessionLine
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk
from postroom.surfaces.branch.words import refusal_text
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.reading import read_conversation_tool
from postroom.tools.base import ToolResult

LIST_CHARS: Final = 40_000
"""How long a list of agents may be: a session may have thousands."""
ROOM_CHARS: Final = 400
"""For the line over a session, and the one that says what is left out."""
KILO: Final = 1_000
_NOTHING: Final = "(no branches)"
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


async def list_agents(desk: Desk, _call: Call, values: Values) -> ToolResult | None:
    """The agents of one scope."""
    request = ListRequest(
        scope=str(values["scope"]), limit=int(values["limit"]), profile=str(values["agent_id"]),
        origin=str(values["source"]),
    )  # fmt: skip
    return ToolResult(text=listing_text(await desk.list_agents(request)))


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


LIST_TOOLS = (
    FieldTool(
        name="list_agents", fields=LIST_FIELDS, run=list_agents,
        description="See which agents there are, where they are and whether they are busy.",
    ).made(),
    read_conversation_tool(
        refusal_text,
        "Read what an agent has said and done: any branch of any session that you can reach.",
    ),
)  # fmt: skip
"""Always shown: they need no right and cost nothing."""
