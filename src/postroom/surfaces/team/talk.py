"""`send_message`, `recall_message`, `message_status` and `read_message`: how the agents of a team write."""

from collections.abc import Mapping

from postroom.domain.plain import Json
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.llm.port import ToolSpec
from postroom.rules.text import scrub
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, Values, decode, schema, unknown_in
from postroom.surfaces.base import Desk, MailTool, SendRequest, answer_of
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.team.words import (
    invalid,
    page_text,
    recalled_text,
    refused,
    sent_text,
    status_text,
)
from postroom.tools.base import ToolResult

GROUP_MAX = 16
"""Addresses that one message may be sent to."""
EXPIRES_MAX_S = 30 * 86_400
PAGE_CHARS = 10_000
PAGE_CHARS_MAX = 30_000
TO = (
    "Who gets it: a handle, an id, SID:HEAD or an exact name; see list_agents. A list of up to "
    f"{GROUP_MAX} of these sends one message to all of them, or to nobody."
)
TEXT_FIELDS = (
    Field(name="message", type="string", description="What to write. Not blank.", raw=True),
    Field(
        name="mode", type="string", default="steer", required=False, choices=("steer", "queue"),
        description="steer: joins what the recipient does now. queue: waits for a turn of its own.",
    ),
    Field(
        name="reply_to", type="integer", required=False, least=1,
        description="The n of the <mail> that this answers. Without it, it answers nothing.",
    ),
    Field(
        name="expires_in_s", type="integer", required=False, least=1, most=EXPIRES_MAX_S,
        description="After so many seconds it is not read any more; you are told. Up to 30 days.",
    ),
)  # fmt: skip
ID_FIELDS = (Field(name="id", type="string", description="The id that the receipt of the message names."),)
PAGE_FIELDS = (
    Field(name="n", type="integer", least=1, description="The n of what you were sent."),
    Field(
        name="offset", type="integer", default=0, required=False, least=0,
        description="The first character to show, counted from 0.",
    ),
    Field(
        name="limit", type="integer", default=PAGE_CHARS, required=False, least=1, most=PAGE_CHARS_MAX,
        description=f"How many characters to show, up to {PAGE_CHARS_MAX}.",
    ),
)  # fmt: skip


async def send_message(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Accept a message to one or to several; success means durably accepted, not read."""
    request = _request(given)
    if isinstance(request, str):
        return invalid("send_message", request)
    sent = await desk.send(call, request, lambda outcome: sent_text(request.to, outcome))
    return answer_of(sent)


def _request(given: Mapping[str, Json]) -> SendRequest | str:
    """The decoded arguments, or what is wrong with them."""
    names = ("to", *(field.name for field in TEXT_FIELDS))
    if (unknown := unknown_in(given, names)) is not None:
        return unknown
    addresses = _addresses(given.get("to"))
    if isinstance(addresses, str):
        return addresses
    values = decode(TEXT_FIELDS, {name: value for name, value in given.items() if name != "to"})
    if isinstance(values, str):
        return values
    reply_to, expires_in_s = values.get("reply_to"), values.get("expires_in_s")
    return SendRequest(
        to=addresses[0], also=addresses[1:], body=str(values["message"]), mode=str(values["mode"]),
        reply_to=reply_to if isinstance(reply_to, int) else None,
        expires_in_s=expires_in_s if isinstance(expires_in_s, int) else None,
    )  # fmt: skip


def _addresses(value: Json) -> tuple[str, ...] | str:
    """One address, or a list of them; a list of one is one."""
    if value is None:
        return "argument to is missing"
    if isinstance(value, str):
        return (scrub(value),)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return "argument to must be an address, or a list of addresses"
    if not 1 <= len(value) <= GROUP_MAX:
        return f"argument to must name from 1 to {GROUP_MAX} recipients"
    return tuple(scrub(str(one)) for one in value)


def _wish(given: Mapping[str, Json]) -> Wish | None:
    """What a send to one needs leave for. Of a group it is decided for each when it is accepted."""
    request = _request(given)
    if isinstance(request, str) or request.also:
        return None
    return Wish(tool="send_message", action="message", to=request.to, body=request.body)


async def recall_message(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Take an own message back where nobody has begun to read it."""
    refusal = await desk.recall_message(call, str(values["id"]), recalled_text)
    return None if refusal is None else refused("recall_message", refusal)


async def message_status(desk: Desk, _call: Call, values: Values) -> ToolResult:
    """What became of an own message, or of one that an agent below has sent."""
    found = await desk.message_status(str(values["id"]))
    if isinstance(found, Refusal):
        return refused("message_status", found)
    return ToolResult(text=status_text(found))


async def read_message(desk: Desk, _call: Call, values: Values) -> ToolResult:
    """A part of a message that was too long to be shown whole."""
    number, offset, limit = (int(values[name]) for name in ("n", "offset", "limit"))
    found = await desk.read_letter(number, offset, limit)
    if isinstance(found, Refusal):
        return refused("read_message", found)
    return ToolResult(text=page_text(found))


def _send_schema() -> dict[str, Json]:
    """The arguments of a send, with recipients that may be one or several."""
    one = schema(TEXT_FIELDS)
    listed: dict[str, Json] = {
        "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": GROUP_MAX,
    }  # fmt: skip
    to: dict[str, Json] = {"description": TO, "anyOf": [{"type": "string"}, listed]}
    properties, required = one["properties"], one["required"]
    assert isinstance(properties, dict)  # noqa: S101 -- `schema` makes these
    assert isinstance(required, list)  # noqa: S101
    return {**one, "properties": {"to": to, **properties}, "required": ["to", *required]}


SEND_MESSAGE = MailTool(
    spec=ToolSpec(
        name="send_message",
        description="Write to one agent or to several. You are not blocked. An answer comes by itself if the "
        "recipient writes one.",
        parameters=_send_schema(),
    ),
    run=send_message,
    action="message",
    wish=_wish,
)
RECALL_MESSAGE = FieldTool(
    name="recall_message",
    description="Take back a message of yours that has not been read yet.",
    fields=ID_FIELDS,
    run=recall_message,
    invalid=invalid,
    action="message",
).made()
MESSAGE_STATUS = FieldTool(
    name="message_status",
    description="What became of a message that you or an agent below you sent: who has read it, in which "
    "turn, who has answered, and who still owes an answer.",
    fields=ID_FIELDS,
    run=message_status,
    invalid=invalid,
).made()
READ_MESSAGE = FieldTool(
    name="read_message",
    description="The text of something that you were sent and that was shown only in part.",
    fields=PAGE_FIELDS,
    run=read_message,
    invalid=invalid,
).made()
TALK_TOOLS = (SEND_MESSAGE, RECALL_MESSAGE, MESSAGE_STATUS, READ_MESSAGE)
"""How agents write to each other, and learn what became of it."""
