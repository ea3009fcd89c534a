"""Our items as `pydantic_ai` messages.

On the wire a call carries our id, never the provider's: theirs may repeat, ours do not (O-04).
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Never

from pydantic import ValidationError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.messages import ModelRequest as VendorRequest
from pydantic_ai.tools import ToolDefinition

from postroom.llm.pictures import BLIND, Sight, in_words, seen
from postroom.llm.port import AssistantItem, Item, ResultItem, ToolSpec, UserItem

# What every vendor takes as the name of a tool; models make up others, and those come back for ever.
_TOOL_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_TOOL_NAME_CHARS: Final = 63
# The vendors' own name for arguments that are no JSON, the same that pydantic-ai uses.
_NO_JSON: Final = "INVALID_JSON"


def to_messages(items: Sequence[Item], *, provider: str, sight: Sight = BLIND) -> list[ModelMessage]:
    """The history of a request. Linear: each item is looked at once.

    `provider_parts` go back only where they came from; elsewhere the plain text and calls go.
    """
    messages: list[ModelMessage] = []
    between: list[UserItem | ResultItem] = []
    for item in items:
        if not isinstance(item, AssistantItem):
            between.append(item)
            continue
        if between:
            messages.append(_request(between, sight))
            between = []
        messages.append(_response(item, provider))
    if between:
        messages.append(_request(between, sight))
    return messages


def to_tools(tools: Sequence[ToolSpec]) -> list[ToolDefinition]:
    """The tools of a request. `strict` stays off: it would make every optional argument required."""
    return [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.parameters),
            strict=False,
        )
        for tool in tools
    ]


def _request(between: Sequence[UserItem | ResultItem], sight: Sight) -> VendorRequest:
    """What stands between two answers: results, their pictures if they have no place in them, mail."""
    parts: list[ModelRequestPart] = []
    pictures: list[UserContent] = []
    for item in between:
        if isinstance(item, ResultItem):
            parts.append(_result(item, sight))
            pictures += _after(item, sight)
            continue
        if pictures:
            parts.append(UserPromptPart(content=pictures))
            pictures = []
        parts.append(UserPromptPart(content=item.text))
    if pictures:
        parts.append(UserPromptPart(content=pictures))
    return VendorRequest(parts=parts)


def _result(item: ResultItem, sight: Sight) -> ToolReturnPart:
    content: str | list[str | BinaryContent] = item.text
    if item.images:
        unseen = [in_words(image) for image in item.images if seen(image, sight) is None]
        content = "\n".join([item.text, *unseen])
        if sight.in_results and (shown := _shown(item, sight)):
            content = [content, *shown]
    return ToolReturnPart(
        tool_name=sendable_name(item.tool),
        content=content,
        tool_call_id=item.call_id,
        outcome="failed" if item.is_error else "success",
    )


def _after(item: ResultItem, sight: Sight) -> list[UserContent]:
    """The pictures of a result where the wire has no place for them in it, with whose they are."""
    shown = [] if sight.in_results else _shown(item, sight)
    return [f"What {item.tool} gave with the result of {item.call_id}:", *shown] if shown else []


def _shown(item: ResultItem, sight: Sight) -> list[BinaryContent]:
    pictures = (seen(image, sight) for image in item.images)
    return [BinaryContent(data=each.data, media_type=each.media_type) for each in pictures if each]


def _response(item: AssistantItem, provider: str) -> ModelResponse:
    if item.provider_parts is not None and item.provider == provider:
        restored = _restored(item)
        if restored is not None:
            return restored
    text: list[ModelResponsePart] = [TextPart(content=item.text)] if item.text else []
    return ModelResponse(parts=[*text, *_call_parts(item)])


def _call_parts(item: AssistantItem) -> Iterator[ToolCallPart]:
    for call in item.calls:
        yield ToolCallPart(
            tool_name=sendable_name(call.tool), args=_sendable(call.arguments), tool_call_id=call.call_id
        )


def sendable_name(tool: str) -> str:
    """The name of a tool as it can go over any wire."""
    return tool if _TOOL_NAME.fullmatch(tool) else "_" + _NOT_IN_NAMES.sub("_", tool)[:_TOOL_NAME_CHARS]


def _sendable(arguments: str) -> str:
    """Arguments as they can go back: what is no object becomes one on the wire, NaN would not."""
    if "NaN" in arguments or "Infinity" in arguments:
        try:
            json.loads(arguments, parse_constant=_no_number)
        except ValueError:
            return json.dumps({_NO_JSON: arguments})
    return arguments


def _no_number(name: str) -> Never:
    raise ValueError(name)


def _restored(item: AssistantItem) -> ModelResponse | None:
    """The provider's own response with our call ids, or None when it no longer fits the item."""
    try:
        (message,) = ModelMessagesTypeAdapter.validate_python([item.provider_parts])
    except (ValidationError, ValueError):
        return None
    if not isinstance(message, ModelResponse):
        return None
    ours = list(_call_parts(item))
    theirs = [part for part in message.parts if isinstance(part, ToolCallPart)]
    # A name that cannot go back as it came would break the signature that was made over it.
    if [part.tool_name for part in theirs] != [part.tool_name for part in ours]:
        return None
    left = iter(ours)
    parts = [_ours(part, next(left)) if isinstance(part, ToolCallPart) else part for part in message.parts]
    return replace(message, parts=parts)


def _ours(theirs: ToolCallPart, ours: ToolCallPart) -> ToolCallPart:
    return replace(theirs, tool_call_id=ours.tool_call_id, args=ours.args)
