"""`session_send`: write to any session in reach. It joins the running turn there, or opens one."""

from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, SendRequest, answer_of
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.peer.returns import SENT
from postroom.surfaces.peer.words import compact, invalid, send_refusal
from postroom.tools.base import ToolResult

NAME = "session_send"
STOPPED = "stopped by the user: it is read when the user lets the session go on"
FIELDS = (
    Field(name="target_id", type="string", description="The id of the session, as session_list shows it."),
    Field(name="message", type="string", description="What to write. Not blank.", raw=True),
)


async def session_send(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Accept a message; success means durably accepted or kept, not seen."""
    request = SendRequest(to=str(values["target_id"]), body=str(values["message"]), mode=Mode.STEER)
    return answer_of(await desk.send(call, request, sent_text))


def sent_text(outcome: Receipt | Refusal) -> str:
    """The words for a receipt or a refusal."""
    if isinstance(outcome, Refusal):
        return send_refusal(NAME, outcome)
    told: dict[str, Json] = {
        "messageId": outcome.message_id, "status": "queued" if outcome.held else "accepted",
    }  # fmt: skip
    return compact(told | {"note": STOPPED} if outcome.stopped else told)


def _letter(values: Values) -> Wish:
    return Wish(tool=NAME, action="message", to=str(values["target_id"]), body=str(values["message"]))


SESSION_SEND = FieldTool(
    name=NAME,
    description="Write to another session; it reads it at its next step, or wakes for it.",
    fields=FIELDS,
    run=session_send,
    invalid=invalid,
    returns=SENT,
    action="message",
    wish=_letter,
).made()
