"""`session_list` and `session_inspect`: which sessions there are, and how one stands. Both only look."""

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json
from postroom.rules.envelope_team import time_text
from postroom.rules.markers import cut, label, neutralise
from postroom.service.neighbours import LISTED_MAX, PeerLine, Scope
from postroom.service.peer_card import PeerCard
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.peer.returns import CARD, LISTED, TEXT_CHARS
from postroom.surfaces.peer.words import compact, invalid, unreached
from postroom.tools.base import ToolResult

LIST, INSPECT = "session_list", "session_inspect"
LIMIT = 50
CUT_CHARS = TEXT_CHARS - 100
"""A longer text is cut to this, so that what stands between its ends has room."""
LIST_FIELDS = (
    Field(
        name="scope", type="string", default=Scope.WORKSPACE.value, required=False,
        choices=tuple(scope.value for scope in Scope),
        description="live: those in memory now. workspace: those in your directory. all: all you may reach.",
    ),
    Field(
        name="limit", type="integer", default=LIMIT, required=False, least=1,
        description=f"How many; never more than {LISTED_MAX}.",
    ),
)  # fmt: skip
INSPECT_FIELDS = (Field(name="session_id", type="string", description="The id of the session."),)


async def session_list(desk: Desk, _call: Call, values: Values) -> ToolResult | None:
    """The sessions in reach, the most recently active first."""
    found = await desk.list_neighbours(Scope(str(values["scope"])), int(values["limit"]))
    return ToolResult(text=compact({"sessions": [line_json(line) for line in found]}))


async def session_inspect(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """How one session stands."""
    found = await desk.read_card(call, str(values["session_id"]))
    return unreached(INSPECT) if isinstance(found, Refusal) else ToolResult(text=compact(card_json(found)))


def line_json(line: PeerLine) -> dict[str, Json]:
    """One session; what others have named is shown so that it marks nothing."""
    return {
        "id": line.session_id, "title": label(line.title), "cwd": label(line.cwd), "status": line.status,
        "kind": str(line.kind), "last_active_at": time_text(line.last_active_us),
    }  # fmt: skip


def card_json(card: PeerCard) -> dict[str, Json]:
    """How it stands, with the ends of what it said last."""
    shown = neutralise(card.last_text)
    return {
        **line_json(card.line), "turns": card.turns,
        "last_text": shown if len(shown) <= TEXT_CHARS else cut(shown, CUT_CHARS),
        "open_asks": card.open_asks, "waiting_mail": card.waiting_mail,
    }  # fmt: skip


SESSION_LIST = FieldTool(
    name=LIST,
    description="See which other sessions you may write to, and what they do. Your own is not listed.",
    fields=LIST_FIELDS,
    run=session_list,
    invalid=invalid,
    returns=LISTED,
).made()
SESSION_INSPECT = FieldTool(
    name=INSPECT,
    description="See how another session stands and what it said last. It does not notice.",
    fields=INSPECT_FIELDS,
    run=session_inspect,
    invalid=invalid,
    returns=CARD,
).made()
