"""Our items as `pydantic_ai` messages, and its response as our answer.

On the wire a call carries our id, never the provider's: theirs may repeat, ours do not (O-04).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Never, cast

from pydantic import ValidationError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.messages import ModelRequest as VendorRequest
from pydantic_ai.tools import ToolDefinition

from postroom.llm.clean import clean_json
from postroom.llm.port import (
    AssistantItem,
    CallItem,
    Image,
    Item,
    Json,
    ModelAnswer,
    ResultItem,
    ToolSpec,
    Usage,
    UserItem,
)
from postroom.rules.text import is_blank, scrub

# The vendors' own name for arguments that are no JSON, the same that pydantic-ai uses.
_NO_JSON: Final = "INVALID_JSON"
# Facts about the answer that we keep elsewhere or not at all; no provider wants them back.
_NOT_SENT_BACK = frozenset({"usage", "timestamp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Which pictures a model takes, by media type, and whether in the result or right after the results."""

    types: frozenset[str] = frozenset()
    in_results: bool = True


BLIND: Final = Sight()
"""A model that is told of pictures in words."""


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


def to_answer(response: ModelResponse, *, provider: str, usage: Usage, with_calls: bool) -> ModelAnswer:
    """What came back, fit to be stored: encodable, and without text that shows nothing."""
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    text = scrub("".join(texts))
    return ModelAnswer(
        text="" if is_blank(text) else text,
        calls=tuple(_call(part) for part in calls) if with_calls else (),
        usage=usage,
        provider=provider,
        provider_parts=_opaque(response) if with_calls else None,
    )


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
        content = "\n".join(
            [item.text, *(_in_words(image) for image in item.images if not _seen(image, sight))]
        )
        if sight.in_results and (seen := _pictures(item, sight)):
            content = [content, *seen]
    return ToolReturnPart(
        tool_name=item.tool,
        content=content,
        tool_call_id=item.call_id,
        outcome="failed" if item.is_error else "success",
    )


def _after(item: ResultItem, sight: Sight) -> list[UserContent]:
    """The pictures of a result where the wire has no place for them in it, with whose they are."""
    seen = [] if sight.in_results else _pictures(item, sight)
    return [f"What {item.tool} gave with the result of {item.call_id}:", *seen] if seen else []


def _pictures(item: ResultItem, sight: Sight) -> list[BinaryContent]:
    return [
        BinaryContent(data=image.data, media_type=image.media_type)
        for image in item.images
        if _seen(image, sight)
    ]


def _seen(image: Image, sight: Sight) -> bool:
    return image.media_type in sight.types


def _in_words(image: Image) -> str:
    return f"[With this came a picture, {image.media_type}, {len(image.data)} bytes, which you cannot see.]"


def _response(item: AssistantItem, provider: str) -> ModelResponse:
    if item.provider_parts is not None and item.provider == provider:
        restored = _restored(item)
        if restored is not None:
            return restored
    text: list[ModelResponsePart] = [TextPart(content=item.text)] if item.text else []
    return ModelResponse(parts=[*text, *_call_parts(item)])


def _call_parts(item: AssistantItem) -> Iterator[ToolCallPart]:
    for call in item.calls:
        yield ToolCallPart(tool_name=call.tool, args=_sendable(call.arguments), tool_call_id=call.call_id)


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


def _call(part: ToolCallPart) -> CallItem:
    arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return CallItem(
        call_id="",
        tool=scrub(part.tool_name),
        # Some providers write nothing at all for a tool without arguments.
        arguments=scrub(arguments) or "{}",
        provider_call_id=scrub(part.tool_call_id),
    )


def _opaque(response: ModelResponse) -> Json:
    """The whole response as JSON when text and calls alone would lose a part of it."""
    if all(_is_plain(part) for part in response.parts):
        return None
    cleaned = replace(response, parts=[_cleaned(part) for part in response.parts])
    dumped = ModelMessagesTypeAdapter.dump_python([cleaned], mode="json", exclude_none=True)
    opaque = cast("dict[str, Json]", dumped[0])
    return clean_json({name: opaque[name] for name in opaque if name not in _NOT_SENT_BACK})


def _is_plain(part: ModelResponsePart) -> bool:
    return isinstance(part, TextPart | ToolCallPart) and not (part.id or part.provider_details)


def _cleaned(part: ModelResponsePart) -> ModelResponsePart:
    match part:
        case TextPart() | ThinkingPart():
            return replace(part, content=scrub(part.content))
        case ToolCallPart(args=str(args)):
            return replace(part, args=scrub(args))
        case _:
            return part


def _restored(item: AssistantItem) -> ModelResponse | None:
    """The provider's own response with our call ids, or None when it no longer fits the item."""
    try:
        (message,) = ModelMessagesTypeAdapter.validate_python([item.provider_parts])
    except (ValidationError, ValueError):
        return None
    if not isinstance(message, ModelResponse):
        return None
    ours = iter(_call_parts(item))
    theirs = [part for part in message.parts if isinstance(part, ToolCallPart)]
    if [part.tool_name for part in theirs] != [call.tool for call in item.calls]:
        return None
    parts = [_ours(part, next(ours)) if isinstance(part, ToolCallPart) else part for part in message.parts]
    return replace(message, parts=parts)


def _ours(theirs: ToolCallPart, ours: ToolCallPart) -> ToolCallPart:
    return replace(theirs, tool_call_id=ours.tool_call_id, args=ours.args)
