"""Foreign errors become ours at the edge."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TypeAlias

import httpx2
import pytest
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
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
from postroom.llm.vendor_faults import fault_for

Kind: TypeAlias = type[
    ModelRateLimitError
    | ModelQuotaExceededError
    | ModelUnavailableError
    | ModelServerError
    | ModelRequestRejectedError
]
KEY = Key("k-secret")


class Moved(Exception):
    """What an SDK raises for a redirect."""

    status_code = 307


def http(status: int, words: str = "because") -> ModelHTTPError:
    return ModelHTTPError(status_code=status, model_name="m", body={"message": words})


def of_kind(status: int, kind: Kind, words: str = "because") -> ModelHTTPError:
    body = {"message": words}
    return ModelHTTPError.for_category(kind, status_code=status, model_name="m", body=body)


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (http(400), ModelRefusedRequest),
        (http(404), ModelRefusedRequest),
        (http(418), ModelRefusedRequest),
        (http(408), ModelUnavailable),
        (http(413), ContextTooLong),
        (http(500), ModelUnavailable),
        (of_kind(429, ModelRateLimitError), ModelRateLimited),
        (of_kind(503, ModelUnavailableError), ModelOverloaded),
        (of_kind(529, ModelOverloadedError), ModelOverloaded),
        (of_kind(502, ModelServerError), ModelUnavailable),
        (of_kind(429, ModelQuotaExceededError), ModelQuota),
        (of_kind(403, ModelAuthenticationError), ModelAuth),
        (ModelContextWindowExceededError("m", "too long"), ContextTooLong),
        (ModelAuthenticationError("m", "no"), ModelAuth),
        (ModelQuotaExceededError("m", "empty"), ModelQuota),
        (ModelConnectionError("m", "refused"), ModelUnavailable),
        (ModelAPIError("m", "no finish"), ModelUnavailable),
        (UnexpectedModelBehavior("nothing came"), ModelUnavailable),
        (httpx2.ReadError("reset"), ModelUnavailable),
        (httpx2.ReadTimeout("nothing"), ModelSilent),
        (caused(ModelTimeoutError("m", "slow"), httpx2.ReadTimeout("nothing")), ModelSilent),
        (caused(ModelTimeoutError("m", "slow"), httpx2.ConnectTimeout("nobody")), ModelUnavailable),
        (caused(ModelAPIError("m", "moved"), Moved()), ModelRefusedRequest),
        (ConnectionResetError(), ModelUnavailable),
        (UserError("bad"), ModelRefusedRequest),
        (UnicodeError("bad"), ModelRefusedRequest),
    ],
)
def test_each_error_has_its_fault(error: Exception, ours: type[ModelFault]) -> None:
    assert type(fault_for(error, provider="openai@h", key=KEY)) is ours


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "This model's maximum context length is 8192 tokens."),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        (400, "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "the request exceeds the available context size. try increasing the context size"),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096."),
        (500, "the request exceeds the available context size"),
        (413, "Request exceeds the maximum size"),
        (400, "Request payload size exceeds the limit: 20971520 bytes."),
    ],
)
def test_vendors_and_servers_have_many_words_for_too_long(status: int, words: str) -> None:
    assert type(fault_for(http(status, words), provider="p", key=KEY)) is ContextTooLong


def test_an_overload_that_mentions_the_context_is_an_overload() -> None:
    error = of_kind(503, ModelOverloadedError, "context size pool is busy")

    assert type(fault_for(error, provider="p", key=KEY)) is ModelOverloaded


@pytest.mark.parametrize(
    "words", ["Output blocked by content filtering policy", "Rejected: content_policy_violation"]
)
def test_a_filter_may_speak_before_the_answer(words: str) -> None:
    assert type(fault_for(http(400, words), provider="p", key=KEY)) is AnswerFiltered


@pytest.mark.parametrize(
    ("headers", "least_s", "most_s"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25, 0.25),
        ({"Retry-After": format_datetime(datetime.now(UTC) + timedelta(hours=10))}, 30_000, 36_000),
        ({"retry-after": "soon"}, None, None),
    ],
)
def test_the_wait_may_be_said_in_seconds_or_as_a_date(
    headers: dict[str, str], least_s: float | None, most_s: float | None
) -> None:
    error = ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name="m", headers=headers)

    fault = fault_for(error, provider="p", key=KEY)

    assert isinstance(fault, ModelRateLimited)
    if least_s is None or most_s is None:
        assert fault.retry_after_s is None
    else:
        assert fault.retry_after_s is not None
        assert least_s <= fault.retry_after_s <= most_s


def test_the_words_of_an_error_body_are_said_wherever_the_vendor_puts_them() -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": "no such field"}}
    error = ModelHTTPError(status_code=400, model_name="m", body=body)

    assert fault_for(error, provider="p", key=KEY).message == "p: 400 no such field"


def test_the_key_never_appears_in_a_fault() -> None:
    fault = fault_for(ModelAuthenticationError("m", "wrong key: k-secret"), provider="openai@h", key=KEY)

    assert "k-secret" not in str(fault)


def test_a_long_cause_is_cut() -> None:
    fault = fault_for(ModelAPIError("m", "x" * 10_000), provider="openai@h", key=KEY)

    assert len(fault.message) < 400


def test_a_lost_connection_says_where_to_and_why() -> None:
    error = ModelConnectionError("m", "Connection error.")
    error.__cause__ = OSError("no route to host")

    fault = fault_for(error, provider="openai@h", key=KEY)

    assert fault.message == "openai@h: Connection error. no route to host"
    assert fault.remedy


def test_the_wait_a_provider_asks_for_is_kept() -> None:
    fault = fault_for(ModelAPIError("m", "later", retry_after=7.5), provider="openai@h", key=KEY)

    assert isinstance(fault, ModelUnavailable)
    assert fault.retry_after_s == 7.5
