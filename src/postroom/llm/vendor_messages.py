"""Our items as `pydantic_ai` messages, and its response as our answer.

On the wire a call carries our id, never the provider's: theirs may repeat, ours do not (O-04).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from pydantic import ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.messages import ModelRequest as VendorRequest
from pydantic_ai.tools import ToolDefinition

from postroom.llm.clean import clean_json
from postroom.llm.port import (
    AssistantItem,
    CallItem,
    Item,
    Json,
    ModelAnswer,
    ResultItem,
    ToolSpec,
    Usage,
)
from postroom.rules.text import is_blank, scrub

# Facts about the answer that we keep elsewhere or not at all; no provider wants them back.
_NOT_SENT_BACK = frozenset({"usage", "timestamp"})


def to_messages(items: Sequence[Item], *, provider: str) -> list[ModelMessage]:
    """The history of a request. Linear: each item is looked at once.

    `provider_parts` go back only where they came from; elsewhere the plain text and calls go.
    """
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for item in items:
        if isinstance(item, AssistantItem):
            if parts:
                messages.append(VendorRequest(parts=parts))
                parts = []
            messages.append(_response(item, provider))
        elif isinstance(item, ResultItem):
            parts.append(_result(item))
        else:
            parts.append(UserPromptPart(content=item.text))
    if parts:
        messages.append(VendorRequest(parts=parts))
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


def to_answer(response: ModelResponse, *, provider: str, with_calls: bool) -> ModelAnswer:
    """What came back, fit to be stored: encodable, and without text that shows nothing."""
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    text = scrub("".join(texts))
    return ModelAnswer(
        text="" if is_blank(text) else text,
        calls=tuple(_call(part) for part in calls) if with_calls else (),
        usage=Usage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens),
        provider=provider,
        provider_parts=_opaque(response) if with_calls else None,
    )


def _result(item: ResultItem) -> ToolReturnPart:
    return ToolReturnPart(
        tool_name=item.tool,
        content=item.text,
        tool_call_id=item.call_id,
        outcome="failed" if item.is_error else "success",
    )


def _response(item: AssistantItem, provider: str) -> ModelResponse:
    if item.provider_parts is not None and item.provider == provider:
        restored = _restored(item)
        if restored is not None:
            return restored
    text: list[ModelResponsePart] = [TextPart(content=item.text)] if item.text else []
    return ModelResponse(parts=[*text, *_call_parts(item)])


def _call_parts(item: AssistantItem) -> Iterator[ToolCallPart]:
    for call in item.calls:
        yield ToolCallPart(tool_name=call.tool, args=call.arguments, tool_call_id=call.call_id)


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
    parts = [
        replace(part, tool_call_id=next(ours).tool_call_id) if isinstance(part, ToolCallPart) else part
        for part in message.parts
    ]
    return replace(message, parts=parts)
