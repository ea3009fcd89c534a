"""A vendor's response as our answer, fit to be stored, with what only that vendor understands beside it."""

from dataclasses import replace
from typing import Final, cast

from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)

from postroom.llm.clean import clean_json
from postroom.llm.port import CallItem, Json, ModelAnswer, Usage
from postroom.rules.text import is_blank, scrub

# Gemini gives no ids; then the adapter makes one up that begins so.
_MADE_UP: Final = "pyd_ai_"
# Facts about the answer that we keep elsewhere or not at all; no provider wants them back.
_NOT_SENT_BACK: Final = frozenset({"usage", "timestamp"})


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


def _call(part: ToolCallPart) -> CallItem:
    arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return CallItem(
        call_id="",
        tool=scrub(part.tool_name),
        # Some providers write nothing at all for a tool without arguments.
        arguments=scrub(arguments) or "{}",
        provider_call_id="" if part.tool_call_id.startswith(_MADE_UP) else scrub(part.tool_call_id),
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
