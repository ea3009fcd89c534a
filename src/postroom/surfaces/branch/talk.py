"""`send_message` and `archive_agent`: every agent may write to every other one, and retire it."""

from postroom.domain.message import Mode
from postroom.domain.turn import Call
from postroom.service.rights import Wish
from postroom.surfaces.archive import archive_agent_tool
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, SendRequest, answer_of
from postroom.surfaces.branch.words import refusal_result, sent_text
from postroom.surfaces.field_tool import FieldTool
from postroom.tools.base import ToolResult

TO = "SID:HEAD of a branch, or its name, or a beginning of the name that only it has; see list_agents."
SEND_FIELDS = (
    Field(name="message", type="string", description="What to write. Not blank.", raw=True),
    Field(name="to", type="string", description=TO),
    Field(
        name="agent_id", type="string", default="", required=False,
        description="The profile as which the recipient answers; empty: as itself.",
    ),
)  # fmt: skip


async def send_message(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Accept a message; success means durably accepted, not seen."""
    to = str(values["to"])
    request = SendRequest(
        to=to, body=str(values["message"]), mode=Mode.QUEUE, profile=str(values["agent_id"])
    )
    sent = await desk.send(call, request, lambda outcome: sent_text(to, outcome))
    return answer_of(sent)


def _letter(values: Values) -> Wish:
    return Wish(tool="send_message", action="message", to=str(values["to"]), body=str(values["message"]))


SEND_MESSAGE = FieldTool(
    name="send_message",
    description="Write to an agent that exists. You are not blocked; its answer comes back by itself.",
    fields=SEND_FIELDS,
    run=send_message,
    action="message",
    wish=_letter,
).made()
ARCHIVE_AGENT = archive_agent_tool(refusal_result, TO)
