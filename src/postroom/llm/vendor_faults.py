"""Foreign errors become ours here, where they are met. Whether to try again is decided by our class."""

import re
from collections.abc import Iterator
from typing import Final, cast

import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelUnavailableError,
    UserError,
)

from postroom.errors import (
    AnswerFiltered,
    ContextTooLong,
    ModelAuth,
    ModelFault,
    ModelOverloaded,
    ModelQuota,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelSilent,
    ModelUnavailable,
)
from postroom.llm.keys import Key
from postroom.rules.text import scrub

FOREIGN = (AgentRunError, UserError, httpx2.HTTPError, httpx2.StreamError, OSError, UnicodeError)
_SHORTEN: Final = "begin a new conversation, or use a model with a larger window"
# The first that fits counts: the special cases of a refused request stand before it.
_FINAL: Final[tuple[tuple[type[Exception], type[ModelFault], str], ...]] = (
    (ModelContextWindowExceededError, ContextTooLong, _SHORTEN),
    (ModelAuthenticationError, ModelAuth, "check the key and what it may use"),
    (ModelQuotaExceededError, ModelQuota, "the provider's account has nothing left to spend"),
    (ModelNotFoundError, ModelRefusedRequest, "check the model's name and the base URL"),
    (ModelRequestRejectedError, ModelRefusedRequest, ""),
    (UserError, ModelRefusedRequest, ""),
    (UnicodeError, ModelRefusedRequest, ""),
)
# How servers say it that have no code for it: Anthropic with max_tokens, llama.cpp, LM Studio, TGI, vLLM.
_TOO_LONG: Final = re.compile(
    r"context (size|length|window|limit)|prompt is too long|input is too long|too many (input )?tokens"
    r"|number of tokens allowed|max_new_tokens|exceed_context_size|payload size exceeds",
    re.IGNORECASE,
)
_FILTERED: Final = re.compile(
    r"content_filter|content_policy_violation|content filtering policy", re.IGNORECASE
)
_LONGEST_CAUSE: Final = 300
_TOO_LARGE: Final = 413
# Statuses below 500 that a later try may well not meet: request timeout, conflict, too early, rate limit.
_PASSING: Final = frozenset({408, 409, 425, 429})
_OVERLOADS: Final = frozenset({503, 529})
_REDIRECTS: Final = range(300, 400)


def fault_for(error: Exception, *, provider: str, key: Key) -> ModelFault:
    """Our fault for an error of the SDK, of HTTP or of the connection.

    It names the provider and never the key.
    """
    cause = f"{provider}: {_cause(error, key)}"
    final = _told_by_words(error, cause) or _told_by_kind(error, cause)
    return final or _passing(error, cause)


def _told_by_words(error: Exception, cause: str) -> ModelFault | None:
    """What a vendor says under the status of any wrong request."""
    if not isinstance(error, ModelHTTPError) or isinstance(error, ModelAuthenticationError):
        return None
    if error.status_code in _PASSING or error.status_code > 500:  # noqa: PLR2004 - llama.cpp says it with 500
        return None
    said = f"{error.provider_error_code} {error.provider_error_type} {_vendor_words(error)}"
    if _FILTERED.search(said):
        return AnswerFiltered(cause, remedy="ask for something else")
    if error.status_code == _TOO_LARGE or _TOO_LONG.search(said):
        return ContextTooLong(cause, remedy=_SHORTEN)
    return None


def _told_by_kind(error: Exception, cause: str) -> ModelFault | None:
    for foreign, ours, remedy in _FINAL:
        if isinstance(error, foreign):
            return ours(cause, remedy=remedy)
    if isinstance(error, ModelHTTPError) and _is_final(error.status_code):
        return ModelRefusedRequest(cause)
    if any(getattr(each, "status_code", 0) in _REDIRECTS for each in _chain(error)):
        return ModelRefusedRequest(cause, remedy="the base URL leads elsewhere; name where it leads to")
    return None


def _passing(error: Exception, cause: str) -> ModelUnavailable:
    asked_s = error.retry_after if isinstance(error, ModelAPIError) else None
    if isinstance(error, ModelRateLimitError):
        return ModelRateLimited(cause, retry_after_s=asked_s)
    if _is_overload(error):
        return ModelOverloaded(cause, retry_after_s=asked_s)
    if any(isinstance(each, httpx2.ReadTimeout) for each in _chain(error)):
        return ModelSilent(
            f"{cause}; the provider said nothing for too long",
            remedy="raise model.idle_s if the model thinks for so long",
        )
    remedy = "is the provider reachable there?" if isinstance(error, ModelConnectionError) else ""
    return ModelUnavailable(cause, remedy=remedy, retry_after_s=asked_s)


def _is_overload(error: Exception) -> bool:
    """By kind, by status, or by word: inside a stream the word may be all there is."""
    if isinstance(error, ModelHTTPError):
        said = error.status_code in _OVERLOADS or "overloaded" in _vendor_words(error).lower()
        return said or isinstance(error, ModelUnavailableError)
    return isinstance(error, ModelUnavailableError)


def _is_final(status: int) -> bool:
    return status < 500 and status not in _PASSING  # noqa: PLR2004 - HTTP: 5xx is the server's


def _cause(error: Exception, key: Key) -> str:
    text = _vendor_words(error) or str(error) or type(error).__name__
    if isinstance(error, ModelConnectionError):
        # "Connection error." alone helps nobody; what lies at the bottom does.
        text = f"{text} {_root(error)}"
    text = key.hide_in(scrub(" ".join(text.split())))
    return text if len(text) <= _LONGEST_CAUSE else text[:_LONGEST_CAUSE] + " …"


def _vendor_words(error: Exception) -> str:
    """Status and message of an error body, whose other fields are for machines."""
    if not isinstance(error, ModelHTTPError):
        return ""
    return f"{error.status_code} {_message(error.body) or error.message}"


def _message(body: object) -> str:
    """The message of a body, which some vendors put into an `error` object and some do not."""
    if not isinstance(body, dict):
        return ""
    fields = cast("dict[str, object]", body)
    message = fields.get("message")
    return message if isinstance(message, str) else _message(fields.get("error"))


def _root(error: BaseException) -> str:
    """What the first error of the chain said."""
    *_, first = _chain(error)
    return "" if first is error else str(first) or type(first).__name__


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, in turn."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__
