"""`send_message` and `list_agents`: the group `messaging`, for agents whose profiles name it (KK-50).

Whoever has a reader on the bus receives; only to write, and to see who is there, these two are needed.
"""

from collections.abc import Mapping

from postroom.domain.message import Mode
from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.selectors import EVERYONE
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, decode, schema, unknown_in
from postroom.surfaces.base import Desk, MailTool, SendRequest, answer_of
from postroom.surfaces.roster.words import roster_text, sent_text
from postroom.tools.base import ToolResult, refused

SEND, LIST = "send_message", "list_agents"
ANY = "*"
"""What rules name a send by: a selector may mean several agents, each of another relation."""
SEND_FIELDS = (
    Field(
        name="to", type="string",
        description=f"An address of list_agents (name#2), a name alone for all of that name, or {EVERYONE}.",
    ),
    Field(name="text", type="string", description="What to write. Not blank.", raw=True),
)  # fmt: skip


async def send_message(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Put a message on the bus; success means accepted, not that anybody will read it."""
    values = decode(SEND_FIELDS, given)
    if isinstance(values, str):
        return refused(SEND, Code.INVALID_ARGUMENTS, values)
    request = SendRequest(to=str(values["to"]), body=str(values["text"]), mode=Mode.STEER)
    sent = await desk.send(call, request, lambda outcome: sent_text(request.to, outcome))
    return answer_of(sent)


async def list_agents(desk: Desk, _call: Call, given: Mapping[str, Json]) -> ToolResult:
    """Who has read along in this turn so far; the call's result is not durable yet."""
    if (unknown := unknown_in(given, ())) is not None:
        return refused(LIST, Code.INVALID_ARGUMENTS, unknown)
    return roster_text(await desk.roster())


def _letter(given: Mapping[str, Json]) -> Wish | None:
    values = decode(SEND_FIELDS, given)
    if isinstance(values, str):
        return None
    return Wish(tool=SEND, action="message", resource=ANY, body=str(values["text"]))


SEND_MESSAGE = MailTool(
    spec=ToolSpec(
        name=SEND,
        description="Write to agents that work in this turn. Each reads it before its next step, if it has "
        "one left: an agent that has finished reads nothing more. There is no answer by itself.",
        parameters=schema(SEND_FIELDS),
    ),
    run=send_message,
    action="message",
    wish=_letter,
)
LIST_AGENTS = MailTool(
    spec=ToolSpec(
        name=LIST,
        description="Every address of this turn, yours marked. Being listed does not mean still at work.",
        parameters=schema(()),
    ),
    run=list_agents,
)
MESSAGING = (SEND_MESSAGE, LIST_AGENTS)
