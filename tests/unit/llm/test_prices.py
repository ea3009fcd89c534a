"""What an answer cost, by the list that comes with the SDKs."""

from datetime import UTC, datetime

import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from postroom.llm.port import Usage
from postroom.llm.prices import usage_of
from postroom.llm.vendors import ANTHROPIC, GOOGLE, OPENAI, Vendor

NOW = datetime(2026, 11, 30, tzinfo=UTC)
USED = RequestUsage(
    input_tokens=100_000, output_tokens=10_000, cache_read_tokens=60_000, cache_write_tokens=20_000
)


def answer(model: str, used: RequestUsage = USED) -> ModelResponse:
    return ModelResponse(parts=[TextPart("x")], usage=used, model_name=model, timestamp=NOW)


def test_tokens_and_price_of_a_cached_round() -> None:
    """Claude Sonnet 4.5: 3 dollars for a million tokens in, 15 out, 0.30 read, 3.75 written."""
    used = usage_of(answer("claude-sonnet-4-5"), ANTHROPIC.home)

    assert used == Usage(
        input_tokens=100_000,
        output_tokens=10_000,
        cache_read_tokens=60_000,
        cache_write_tokens=20_000,
        cost_micros=60_000 + 18_000 + 75_000 + 150_000,
    )


@pytest.mark.parametrize(
    ("vendor", "model"),
    [
        (OPENAI, "gpt-5-mini-2025-08-07"),
        (GOOGLE, "gemini-2.5-flash"),
        (ANTHROPIC, "claude-haiku-4-5-20251001"),
    ],
)
def test_each_vendor_has_prices_at_its_own_address(vendor: Vendor, model: str) -> None:
    cost = usage_of(
        answer(model, RequestUsage(input_tokens=1_000, output_tokens=100)), vendor.home
    ).cost_micros

    assert cost is not None
    assert cost > 0


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "https://proxy.example.org/v1"])
def test_nobody_knows_the_price_at_another_address(url: str) -> None:
    assert usage_of(answer("gpt-5-mini"), url).cost_micros is None


def test_nobody_knows_the_price_of_a_model_of_tomorrow() -> None:
    assert usage_of(answer("gpt-99-nova"), OPENAI.home).cost_micros is None


def test_an_answer_without_a_count_has_no_price() -> None:
    assert usage_of(answer("gpt-5-mini", RequestUsage()), OPENAI.home) == Usage()
