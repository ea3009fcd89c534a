"""The strict reading of a chat-completions body: what a vendor refuses, with its status and words.

Independent of `postroom.llm.strict` on purpose: that one reads our items, this one the very bytes.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from postroom.llm.port import Json
from postroom.llm.strict import Flaw
from postroom.rules.text import CHARS_PER_TOKEN, is_blank

# Longest id of a call and shape of a tool's name, as the vendor's reference states them.
_LONGEST_ID = 40
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NUMBER = (int, float)
_FIELDS: dict[str, tuple[type, ...]] = {
    "model": (str,),
    "messages": (list,),
    "tools": (list,),
    "tool_choice": (str, dict),
    "parallel_tool_calls": (bool,),
    "stream": (bool,),
    "stream_options": (dict,),
    "max_tokens": (int,),
    "max_completion_tokens": (int,),
    "temperature": _NUMBER,
    "top_p": _NUMBER,
    "presence_penalty": _NUMBER,
    "frequency_penalty": _NUMBER,
    "seed": (int,),
    "stop": (str, list),
    "n": (int,),
    "user": (str,),
    "reasoning_effort": (str,),
    "response_format": (dict,),
    "logprobs": (bool,),
    "store": (bool,),
    "metadata": (dict,),
    "service_tier": (str,),
}
_MESSAGE_FIELDS: dict[str, tuple[type, ...]] = {
    "role": (str,),
    "content": (str, list),
    "name": (str,),
    "tool_calls": (list,),
    "tool_call_id": (str,),
    "refusal": (str,),
    # What reasoning servers send and want back.
    "reasoning": (str,),
    "reasoning_content": (str,),
}
_ROLES = ("system", "developer", "user", "assistant", "tool")


class Refused(Exception):
    """The vendor's refusal: HTTP status and the parts of its error body; `kind` is for tests."""

    def __init__(
        self,
        *,
        kind: str,
        message: str,
        status: int = 400,
        param: str | None = None,
        code: str | None = None,
        error_type: str = "invalid_request_error",
    ) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.status = status
        self.param = param
        self.code = code
        self.error_type = error_type

    def body(self) -> dict[str, Json]:
        """The error body as it goes over the wire."""
        return {
            "error": {
                "message": self.message,
                "type": self.error_type,
                "param": self.param,
                "code": self.code,
            }
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call in an assistant message of a request."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request, its content joined to one text."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A request the vendor would accept."""

    model: str
    messages: tuple[Message, ...]
    stream: bool
    with_usage: bool
    may_call: bool
    tokens: int


def read_body(raw: bytes, *, window: int) -> Body:
    """The request in these bytes. Raises `Refused` at the first thing a strict vendor refuses."""
    body = _parsed(raw)
    _check_fields(body, _FIELDS, "")
    for required in ("model", "messages"):
        if required not in body:
            raise _missing(required)
    messages = tuple(
        _message(raw_message, f"messages[{number}]")
        for number, raw_message in enumerate(cast("list[Json]", body["messages"]))
    )
    if not messages:
        raise Refused(
            kind="wrong_type",
            message="Invalid 'messages': empty array. Expected an array with minimum length 1.",
            param="messages",
            code="empty_array",
        )
    _check_pairs(messages)
    _check_tools(cast("list[Json]", body.get("tools") or []))
    tokens = _tokens(messages, body)
    if tokens > window:
        raise _over_window(tokens, window)
    options = cast("dict[str, Json]", body.get("stream_options") or {})
    return Body(
        model=str(body["model"]),
        messages=messages,
        stream=bool(body.get("stream")),
        with_usage=bool(options.get("include_usage")),
        may_call=body.get("tool_choice") != "none",
        tokens=tokens,
    )


def _parsed(raw: bytes) -> dict[str, Json]:
    try:
        body = cast("Json", json.loads(raw.decode("utf-8")))
        # A lone surrogate survives as an escape; only encoding the text again finds it.
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except (UnicodeError, ValueError, RecursionError) as error:
        raise Refused(
            kind=Flaw.NOT_UTF8,
            message="We could not parse the JSON body of your request.",
        ) from error
    if not isinstance(body, dict):
        raise _wrong_type("body", "an object")
    return body


def _check_fields(fields: dict[str, Json], known: dict[str, tuple[type, ...]], where: str) -> None:
    for name, value in fields.items():
        place = f"{where}.{name}" if where else name
        if name not in known:
            raise Refused(
                kind="unknown_field",
                message=f"Unknown parameter: '{place}'.",
                param=place,
                code="unknown_parameter",
            )
        types = known[name]
        # In Python a bool is an int; on this wire it is not.
        fits = type(value) is bool if types == (bool,) else isinstance(value, types)
        if value is not None and (not fits or (type(value) is bool and bool not in types)):
            raise _wrong_type(place, " or ".join(each.__name__ for each in types))


def _message(raw: Json, where: str) -> Message:
    if not isinstance(raw, dict):
        raise _wrong_type(where, "an object")
    _check_fields(raw, _MESSAGE_FIELDS, where)
    role = raw.get("role")
    if role not in _ROLES:
        raise Refused(
            kind="wrong_type",
            message=f"Invalid value: '{role}'. Supported values are: {', '.join(_ROLES)}.",
            param=f"{where}.role",
            code="invalid_value",
        )
    calls = tuple(
        _call(each, f"{where}.tool_calls[{number}]")
        for number, each in enumerate(cast("list[Json]", raw.get("tool_calls") or []))
    )
    if calls and role != "assistant":
        raise _wrong_type(f"{where}.tool_calls", "absent outside an assistant message")
    if role == "tool" and not raw.get("tool_call_id"):
        raise _missing(f"{where}.tool_call_id")
    blocks = list(_blocks(raw.get("content"), f"{where}.content"))
    if not calls or blocks:
        _check_blank(blocks, f"{where}.content")
    return Message(
        role=str(role),
        text="".join(blocks),
        calls=calls,
        tool_call_id=str(raw.get("tool_call_id") or ""),
    )


def _blocks(content: Json, where: str) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for number, block in enumerate(cast("list[Json]", content or [])):
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(text, str):
            raise _wrong_type(f"{where}[{number}]", "a text block")
        yield text


def _check_blank(blocks: list[str], where: str) -> None:
    if not blocks or any(is_blank(block) for block in blocks):
        raise Refused(
            kind=Flaw.BLANK_TEXT,
            message=f"Invalid '{where}': text content blocks must contain non-whitespace text.",
            param=where,
            code="empty_string",
        )


def _call(raw: Json, where: str) -> Call:
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or raw.get("type") != "function" or not isinstance(function, dict):
        raise _wrong_type(where, "a function call")
    call_id, tool, arguments = raw.get("id"), function.get("name"), function.get("arguments")
    if not isinstance(call_id, str) or not call_id:
        raise _missing(f"{where}.id")
    if len(call_id) > _LONGEST_ID:
        raise Refused(
            kind="wrong_type",
            message=f"Invalid '{where}.id': string too long. Expected a string with maximum length "
            f"{_LONGEST_ID}, but got a string with length {len(call_id)} instead.",
            param=f"{where}.id",
            code="string_above_max_length",
        )
    if not isinstance(tool, str) or not _TOOL_NAME.fullmatch(tool):
        raise _pattern(f"{where}.function.name")
    if not isinstance(arguments, str):
        raise _wrong_type(f"{where}.function.arguments", "str")
    return Call(id=call_id, tool=tool, arguments=arguments)


def _check_tools(tools: list[Json]) -> None:
    for number, tool in enumerate(tools):
        where = f"tools[{number}]"
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict):
            raise _wrong_type(where, "a function")
        name = function.get("name")
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            raise _pattern(f"{where}.function.name")
        if not isinstance(function.get("parameters", {}), dict):
            raise _wrong_type(f"{where}.function.parameters", "object")


def _check_pairs(messages: tuple[Message, ...]) -> None:
    seen: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                raise Refused(
                    kind=Flaw.STRAY_RESULT,
                    message="Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'.",
                    param=f"messages.[{number}].role",
                )
            waiting.remove(message.tool_call_id)
            continue
        if waiting:
            raise _unpaired(waiting, message.role)
        waiting = [call.id for call in message.calls]
        for call_id in waiting:
            if call_id in seen:
                raise Refused(
                    kind=Flaw.REPEATED_ID,
                    message=f"Duplicate value for 'tool_call_id' of '{call_id}' in message[{number}].",
                    param="messages",
                )
            seen.add(call_id)
    if waiting:
        raise _unpaired(waiting, "")


def _unpaired(waiting: list[str], next_role: str) -> Refused:
    return Refused(
        kind=Flaw.TEXT_INSIDE_PAIR if next_role == "user" else Flaw.UNPAIRED_CALL,
        message="An assistant message with 'tool_calls' must be followed by tool messages "
        "responding to each 'tool_call_id'. The following tool_call_ids did not have response "
        f"messages: {', '.join(waiting)}",
        param="messages",
    )


def _tokens(messages: tuple[Message, ...], body: dict[str, Json]) -> int:
    chars = sum(
        len(message.text) + sum(len(call.tool) + len(call.arguments) for call in message.calls)
        for message in messages
    )
    chars += len(json.dumps(body["tools"])) if body.get("tools") else 0
    return -(-chars // CHARS_PER_TOKEN)


def _over_window(tokens: int, window: int) -> Refused:
    return Refused(
        kind=Flaw.OVER_WINDOW,
        message=f"This model's maximum context length is {window} tokens. However, your messages "
        f"resulted in {tokens} tokens. Please reduce the length of the messages.",
        param="messages",
        code="context_length_exceeded",
    )


def _missing(place: str) -> Refused:
    return Refused(
        kind="missing_field",
        message=f"Missing required parameter: '{place}'.",
        param=place,
        code="missing_required_parameter",
    )


def _wrong_type(place: str, expected: str) -> Refused:
    return Refused(
        kind="wrong_type",
        message=f"Invalid type for '{place}': expected {expected}.",
        param=place,
        code="invalid_type",
    )


def _pattern(place: str) -> Refused:
    return Refused(
        kind="wrong_type",
        message=f"Invalid '{place}': string does not match pattern '{_TOOL_NAME.pattern}'.",
        param=place,
        code="invalid_value",
    )
