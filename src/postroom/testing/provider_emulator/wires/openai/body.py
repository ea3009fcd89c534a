"""The strict reading of a chat-completions body, from its bytes."""

import json
import re
from collections.abc import Iterator
from typing import cast

from postroom.llm.port import Json
from postroom.testing.provider_emulator.asked import Asked, Call, Incoming, Message, Role
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    Fields,
    a_list,
    a_text,
    an_object,
    check_shape,
    parsed,
)
from postroom.testing.provider_emulator.pictures import PICTURE_CHARS, PictureFlaw, check_picture
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.prefix_cache import Segment, tokens_of
from postroom.testing.provider_emulator.rules import check_pairs, check_size, check_text, check_window

# Longest id of a call, shape of a tool's name and size of a body, as the vendor's reference states them.
_LONGEST_ID = 40
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_BYTES = 50 * 1024 * 1024
_DATA_URL = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,(.*)", re.DOTALL)
_SHAPE = {
    "model": TEXT,
    "messages": LIST,
    "tools": LIST,
    "tool_choice": (str, dict),
    "parallel_tool_calls": FLAG,
    "stream": FLAG,
    "stream_options": OBJECT,
    "max_tokens": (int,),
    "max_completion_tokens": (int,),
    "temperature": NUMBER,
    "top_p": NUMBER,
    "presence_penalty": NUMBER,
    "frequency_penalty": NUMBER,
    "seed": (int,),
    "stop": (str, list),
    "n": (int,),
    "user": TEXT,
    "reasoning_effort": TEXT,
    "response_format": OBJECT,
    "logprobs": FLAG,
    "store": FLAG,
    "metadata": OBJECT,
    "service_tier": TEXT,
    "prompt_cache_key": TEXT,
    "prompt_cache_retention": TEXT,
    "safety_identifier": TEXT,
    "verbosity": TEXT,
    "top_logprobs": (int,),
    "logit_bias": OBJECT,
}
_MESSAGE_SHAPE = {
    "role": TEXT,
    "content": (str, list),
    "name": TEXT,
    "tool_calls": LIST,
    "tool_call_id": TEXT,
    "refusal": TEXT,
    # What reasoning servers send and want back.
    "reasoning": TEXT,
    "reasoning_content": TEXT,
}
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def read_body(incoming: Incoming, plan: Plan) -> Asked:
    """The request in these bytes. Raises `Breach` at the first thing a strict vendor refuses."""
    _check_key(incoming.headers.get("authorization", ""), plan.key)
    check_size(incoming.raw, _MOST_BYTES if plan.most_bytes is None else plan.most_bytes)
    body = parsed(incoming.raw)
    check_shape(body, _SHAPE, required=("model", "messages"))
    raw_messages = a_list(body["messages"], ("messages",))
    if not raw_messages:
        raise Breach(Rule.WRONG_TYPE, at=("messages",), names=("empty",))
    messages = tuple(_message(each, ("messages", number)) for number, each in enumerate(raw_messages))
    check_pairs(messages)
    tools = a_list(body.get("tools"), ("tools",))
    _check_tools(tools)
    segments = tuple(_segments(tools, raw_messages, messages))
    tokens = tokens_of(segments)
    check_window(tokens, plan.context_window)
    options = an_object(body.get("stream_options") or {}, ("stream_options",))
    return Asked(
        model=str(body["model"]),
        messages=messages,
        segments=segments,
        stream=bool(body.get("stream")),
        with_usage=bool(options.get("include_usage")) or not body.get("stream"),
        may_call=body.get("tool_choice") != "none",
        tokens=tokens,
    )


def _check_key(authorization: str, key: str) -> None:
    if not authorization:
        raise Breach(Rule.MISSING_KEY, status=401)
    if authorization != f"Bearer {key}":
        raise Breach(Rule.WRONG_KEY, status=401)


def _message(value: Json, at: Place) -> Message:
    raw = an_object(value, at)
    check_shape(raw, _MESSAGE_SHAPE, at)
    named = str(raw.get("role"))
    if named not in ROLES:
        raise Breach(Rule.WRONG_TYPE, at=(*at, "role"), names=("role", named, ", ".join(ROLES)))
    role = ROLES[named]
    calls = tuple(
        _call(each, (*at, "tool_calls", number))
        for number, each in enumerate(a_list(raw.get("tool_calls"), (*at, "tool_calls")))
    )
    if calls and role != "assistant":
        raise Breach(Rule.WRONG_TYPE, at=(*at, "tool_calls"), names=("absent outside an assistant message",))
    if role == "tool" and not raw.get("tool_call_id"):
        raise Breach(Rule.MISSING_FIELD, at=(*at, "tool_call_id"))
    blocks = list(_blocks(raw.get("content"), (*at, "content"), role))
    if not blocks and not calls and not raw.get("refusal"):
        check_text("", (*at, "content"))
    for block in blocks:
        check_text(block, (*at, "content"))
    return Message(
        role=role,
        text="".join(blocks),
        calls=calls,
        tool_call_id=str(raw.get("tool_call_id") or ""),
        at=at,
    )


def _blocks(content: Json, at: Place, role: Role) -> Iterator[str]:
    """The texts of a content. A picture counts as a text of the length it costs."""
    if isinstance(content, str):
        yield content
        return
    for number, value in enumerate(cast("list[Json]", content or [])):
        where = (*at, number)
        block = an_object(value, where)
        match block.get("type"):
            case "text":
                check_shape(block, {"type": TEXT, "text": TEXT}, where)
                yield a_text(block, "text", where)
            case "image_url":
                _check_image(block, where, role)
                yield "#" * PICTURE_CHARS
            case _:
                raise Breach(Rule.WRONG_TYPE, at=where, names=("a text block",))


def _check_image(block: Fields, at: Place, role: Role) -> None:
    if role != "user":
        raise Breach(Rule.BAD_IMAGE, at=at, names=("role", role))
    check_shape(block, {"type": TEXT, "image_url": OBJECT}, at, required=("image_url",))
    image = an_object(block["image_url"], (*at, "image_url"))
    check_shape(image, {"url": TEXT, "detail": TEXT}, (*at, "image_url"), required=("url",))
    found = _DATA_URL.fullmatch(str(image["url"]))
    if found is None:
        # A real vendor would fetch it; on loopback there is nothing to fetch from.
        raise Breach(Rule.BAD_IMAGE, at=(*at, "image_url", "url"), names=(PictureFlaw.BASE64,))
    check_picture(found[1], found[2], (*at, "image_url", "url"))


def _call(value: Json, at: Place) -> Call:
    raw = an_object(value, at)
    if raw.get("type") != "function":
        raise Breach(Rule.WRONG_TYPE, at=at, names=("a function call",))
    function = an_object(raw.get("function"), (*at, "function"))
    call_id = a_text(raw, "id", at)
    if not call_id:
        raise Breach(Rule.MISSING_FIELD, at=(*at, "id"))
    if len(call_id) > _LONGEST_ID:
        raise Breach(Rule.WRONG_TYPE, at=(*at, "id"), names=("length", str(_LONGEST_ID), str(len(call_id))))
    tool = a_text(function, "name", (*at, "function"))
    arguments = a_text(function, "arguments", (*at, "function"))
    if not _TOOL_NAME.fullmatch(tool):
        raise _strange_name((*at, "function", "name"))
    return Call(id=call_id, tool=tool, arguments=arguments, at=at)


def _check_tools(tools: list[Json]) -> None:
    names: set[str] = set()
    for number, value in enumerate(tools):
        at = ("tools", number)
        function = an_object(an_object(value, at).get("function"), (*at, "function"))
        name = a_text(function, "name", (*at, "function"))
        if not _TOOL_NAME.fullmatch(name) or name in names:
            raise _strange_name((*at, "function", "name"))
        names.add(name)
        an_object(function.get("parameters", {}), (*at, "function", "parameters"))


def _strange_name(at: Place) -> Breach:
    return Breach(Rule.WRONG_TYPE, at=at, names=("pattern", f"^{_TOOL_NAME.pattern}$"))


def _segments(tools: list[Json], raw: list[Json], messages: tuple[Message, ...]) -> Iterator[Segment]:
    """The request in the order the model reads it; this vendor keeps every prefix by itself."""
    if tools:
        text = json.dumps(tools)
        yield Segment(content=text.encode(), chars=len(text), marked=True)
    for value, message in zip(raw, messages, strict=True):
        chars = len(message.text) + sum(len(each.tool) + len(each.arguments) for each in message.calls)
        yield Segment(content=json.dumps(value).encode(), chars=chars, marked=True)
