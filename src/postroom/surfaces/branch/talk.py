"""`send_message` and `archive_agent`: every agent may write to every other one, and retire it."""

from collections.abc import Mapping

from postroom.domain.message import Mode
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.service.rights import Wish
from postroom.surfaces.archive import archive_agent_tool
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.base import Desk, MailTool, SendRequest, answer_of
from postroom.surfaces.bracketed import invalid
from postroom.surfaces.branch.words import refusal_result, sent_text
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


async def send_message(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Accept a message; success means durably accepted, not seen."""
    values = decode(SEND_FIELDS, given)
    if isinstance(values, str):
        return invalid("send_message", values)
    to = str(values["to"])
    request = SendRequest(
        to=to, body=str(values["message"]), mode=Mode.QUEUE, profile=str(values["agent_id"])
    )
    sent = await desk.send(call, request, lambda outcome: sent_text(to, outcome))
    return answer_of(sent)


def _letter(given: Mapping[str, Json]) -> Wish | None:
    values = decode(SEND_FIELDS, given)
    if isinstance(values, str):
        return None
    return Wish(tool="send_message", action="message", to=str(values["to"]), body=str(values["message"]))


SEND_MESSAGE = MailTool(
    spec=ToolSpec(
        name="send_message",
        description="Write to an agent that exists. You are not blocked; its answer comes back by itself.",
        parameters=schema(SEND_FIELDS),
    ),
    run=send_message,
    action="message",
    wish=_letter,
)
ARCHIVE_AGENT = archive_agent_tool(refusal_result, TO)
