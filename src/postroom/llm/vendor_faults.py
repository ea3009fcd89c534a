"""Foreign errors become ours here, where they are met. Whether to try again is decided by our class."""

from typing import cast

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
    ModelRequestRejectedError,
    UserError,
)

from postroom.errors import (
    ContextTooLong,
    ModelAuth,
    ModelFault,
    ModelRefusedRequest,
    ModelUnavailable,
)
from postroom.rules.text import scrub

FOREIGN = (AgentRunError, UserError, httpx2.HTTPError, httpx2.StreamError, OSError, UnicodeError)
# The first that fits counts: the special cases of a refused request stand before it.
_FINAL: tuple[tuple[type[Exception], type[ModelFault], str], ...] = (
    (ModelContextWindowExceededError, ContextTooLong, "shorten the history or use a larger model"),
    (ModelAuthenticationError, ModelAuth, "check the key and what it may use"),
    (ModelQuotaExceededError, ModelFault, "the provider's account has nothing left to spend"),
    (ModelNotFoundError, ModelRefusedRequest, "check the model's name and the base URL"),
    (ModelRequestRejectedError, ModelRefusedRequest, ""),
    (UserError, ModelRefusedRequest, ""),
    (UnicodeError, ModelRefusedRequest, ""),
)
_LONGEST_CAUSE = 300
# Statuses below 500 that a later try may well not meet: request timeout, conflict, too early, rate limit.
_PASSING = frozenset({408, 409, 425, 429})


def fault_for(error: Exception, *, provider: str, key: str) -> ModelFault:
    """Our fault for an error of the SDK, of HTTP or of the connection.

    It names the provider and never the key.
    """
    cause = f"{provider}: {_cause(error, key)}"
    for foreign, ours, remedy in _FINAL:
        if isinstance(error, foreign):
            return ours(cause, remedy=remedy)
    if isinstance(error, ModelHTTPError) and _is_final(error.status_code):
        return ModelRefusedRequest(cause)
    asked_s = error.retry_after if isinstance(error, ModelAPIError) else None
    remedy = "is the provider reachable there?" if isinstance(error, ModelConnectionError) else ""
    return ModelUnavailable(cause, remedy=remedy, retry_after_s=asked_s)


def _is_final(status: int) -> bool:
    return status < 500 and status not in _PASSING  # noqa: PLR2004 - HTTP: 5xx is the server's


def _cause(error: Exception, key: str) -> str:
    text = _vendor_words(error) or str(error) or type(error).__name__
    if isinstance(error, ModelConnectionError):
        # "Connection error." alone helps nobody; what lies at the bottom does.
        text = f"{text} {_root(error)}"
    text = scrub(" ".join(text.split())).replace(key, "(key)")
    return text if len(text) <= _LONGEST_CAUSE else text[:_LONGEST_CAUSE] + " …"


def _vendor_words(error: Exception) -> str:
    """Status and message of an error body, whose other fields are for machines."""
    if not isinstance(error, ModelHTTPError):
        return ""
    body = error.body
    message = cast("dict[str, object]", body).get("message") if isinstance(body, dict) else None
    return f"{error.status_code} {message or error.message}"


def _root(error: BaseException) -> str:
    """What the first error of the chain said."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error)
