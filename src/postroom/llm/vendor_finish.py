"""How an answer ended: a piece of one is never taken for a whole, nor a withheld one for an empty one."""

from typing import cast

from pydantic_ai.messages import ModelResponse, ToolCallPart

from postroom.errors import (
    AnswerCut,
    AnswerFiltered,
    AnswerRefused,
    ModelFault,
    ModelUnavailable,
)
from postroom.rules.text import scrub

_LONGEST_WORDS = 300


def fault_of(response: ModelResponse, *, provider: str) -> ModelFault | None:
    """The fault of an answer that cannot be used. Text that is only cut by its length limit can be."""
    raw = _detail(response, "finish_reason")
    match response.finish_reason:
        case "length" if any(isinstance(part, ToolCallPart) for part in response.parts):
            return AnswerCut(
                "the answer reached its length limit inside a tool call",
                remedy="raise max_tokens or ask for less at once",
            )
        case "content_filter":
            return _withheld(response, provider, raw)
        case "error":
            return ModelUnavailable(f"{provider}: the answer was broken off: {raw or 'no reason given'}")
        case None if not raw:
            return ModelUnavailable(f"{provider}: the stream ended before the answer did")
        case _:
            return None


def _withheld(response: ModelResponse, provider: str, raw: str) -> ModelFault:
    words = _detail(response, "refusal")
    # Anthropic says so with a stop reason of its own, OpenAI with a field beside the text.
    if raw == "refusal" or words:
        return AnswerRefused(
            f"{provider}: the model refused to answer{_said(words)}", remedy="ask for something else"
        )
    reason = _detail(response, "block_reason_message") or _detail(response, "block_reason") or raw
    message = f"{provider}: the content filter withheld the answer{_said(reason)}"
    return AnswerFiltered(message, remedy="ask for something else")


def _detail(response: ModelResponse, name: str) -> str:
    details = cast("dict[str, object]", response.provider_details or {})
    value = details.get(name)
    return scrub(" ".join(value.split()))[:_LONGEST_WORDS] if isinstance(value, str) else ""


def _said(words: str) -> str:
    return f": {words}" if words else ""
