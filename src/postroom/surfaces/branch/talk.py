"""`send_message` and `archive_agent`: every agent may write to every other one, and retire it."""

from collections.abc import Mapping

from postroom.domain.message import Mode
from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.markers import label
from postroom.service.archive import Archived
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.base import Desk, MailTool, SendRequest, answer_of
from postroom.surfaces.branch.words import invalid, refusal_result, sent_text
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

ARCHIVE_FIELDS = (
    Field(name="to", type="string", description=TO),
    Field(name="reason", type="string", default="", required=False, description="Why, for the record."),
)


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


async def archive_agent(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Retire an agent for good; a second time it is a notice and no mistake."""
    values = decode(ARCHIVE_FIELDS, given)
    if isinstance(values, str):
        return invalid("archive_agent", values)
    to = str(values["to"])
    refusal = await desk.archive(call, to, str(values["reason"]), archived_text)
    if refusal is None:
        return None
    if refusal.code is Code.ALREADY_ARCHIVED:
        address = label(str(refusal.facts.get("to", to)))
        return ToolResult(text=f"[archive_agent] {address} was archived before; nothing was changed")
    return refusal_result("archive_agent", refusal, {"to": to})


def archived_text(done: Archived) -> str:
    """An agent that was archived, and what was waiting for it."""
    name = f" «{label(done.name)}»" if done.name else ""
    text = (
        f"[archived] {done.address}{name} takes no more messages and tasks; it can still be read and forked."
    )
    if not done.messages:
        return text
    return f"{text}\n{done.messages} messages that were waiting there are gone, {done.tasks} of them tasks."


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
ARCHIVE_AGENT = MailTool(
    spec=ToolSpec(
        name="archive_agent",
        description="Retire an agent whose work is finished. There is no way back; its history stays.",
        parameters=schema(ARCHIVE_FIELDS),
    ),
    run=archive_agent,
)
