"""`send_message` and `list_agents`: the group `messaging`, for agents whose profiles name it (KK-50).

Whoever has a reader on the bus receives; only to write, and to see who is there, these two are needed.
"""

from postroom.domain.message import Mode
from postroom.domain.turn import Call
from postroom.rules.selectors import EVERYONE
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, SendRequest, answer_of
from postroom.surfaces.field_tool import FieldTool, plainly_invalid
from postroom.surfaces.roster.words import roster_text, sent_text
from postroom.tools.base import ToolResult

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


async def send_message(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Put a message on the bus; success means accepted, not that anybody will read it."""
    request = SendRequest(to=str(values["to"]), body=str(values["text"]), mode=Mode.STEER)
    sent = await desk.send(call, request, lambda outcome: sent_text(request.to, outcome))
    return answer_of(sent)


async def list_agents(desk: Desk, _call: Call, _values: Values) -> ToolResult:
    """Who has read along in this turn so far; the call's result is not durable yet."""
    return roster_text(await desk.roster())


def _letter(values: Values) -> Wish:
    return Wish(tool=SEND, action="message", resource=ANY, body=str(values["text"]))


SEND_MESSAGE = FieldTool(
    name=SEND,
    description="Write to agents that work in this turn. Each reads it before its next step, if it has "
    "one left: an agent that has finished reads nothing more. There is no answer by itself.",
    fields=SEND_FIELDS,
    run=send_message,
    invalid=plainly_invalid,
    action="message",
    wish=_letter,
).made()
LIST_AGENTS = FieldTool(
    name=LIST,
    description="Every address of this turn, yours marked. Being listed does not mean still at work.",
    fields=(),
    run=list_agents,
    invalid=plainly_invalid,
).made()
MESSAGING = (SEND_MESSAGE, LIST_AGENTS)
