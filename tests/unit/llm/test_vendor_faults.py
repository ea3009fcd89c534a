"""Foreign errors become ours at the edge."""

import httpx2
import pytest
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UnexpectedModelBehavior,
    UserError,
)

from postroom.errors import (
    ContextTooLong,
    ModelAuth,
    ModelFault,
    ModelQuota,
    ModelRefusedRequest,
    ModelUnavailable,
)
from postroom.llm.keys import Key
from postroom.llm.vendor_faults import fault_for

KEY = Key("k-secret")


def http(status: int) -> ModelHTTPError:
    return ModelHTTPError(status_code=status, model_name="m", body={"message": "because"})


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (http(400), ModelRefusedRequest),
        (http(404), ModelRefusedRequest),
        (http(418), ModelRefusedRequest),
        (http(408), ModelUnavailable),
        (http(429), ModelUnavailable),
        (http(500), ModelUnavailable),
        (http(503), ModelUnavailable),
        (http(529), ModelUnavailable),
        (ModelContextWindowExceededError("m", "too long"), ContextTooLong),
        (ModelAuthenticationError("m", "no"), ModelAuth),
        (ModelQuotaExceededError("m", "empty"), ModelQuota),
        (ModelConnectionError("m", "refused"), ModelUnavailable),
        (ModelAPIError("m", "no finish"), ModelUnavailable),
        (UnexpectedModelBehavior("nothing came"), ModelUnavailable),
        (httpx2.ReadError("reset"), ModelUnavailable),
        (ConnectionResetError(), ModelUnavailable),
        (UserError("bad"), ModelRefusedRequest),
        (UnicodeError("bad"), ModelRefusedRequest),
    ],
)
def test_each_error_has_its_fault(error: Exception, ours: type[ModelFault]) -> None:
    assert type(fault_for(error, provider="openai@h", key=KEY)) is ours


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
