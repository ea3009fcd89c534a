"""How much a model reads at once."""

import pytest
from genai_prices.data_snapshot import get_snapshot

from postroom.llm.port import ModelSettings
from postroom.llm.vendors import VENDORS
from postroom.llm.windows import context_window_of

UNSAID = ModelSettings()


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("anthropic:claude-sonnet-4-5", 200_000),
        ("anthropic:claude-opus-5-5", 1_000_000),
        ("openai:gpt-4o-2024-08-06", 128_000),
        ("openai:gpt-5-mini", 400_000),
        ("openai:gpt-6-sol", 1_050_000),
        ("openai:anthropic/claude-sonnet-5", 1_000_000),
        ("google:gemini-3.5-flash", 1_000_000),
        ("openai:qwen3:8b", 128_000),
        ("scripted:gpt-5", 128_000),
        ("own", 128_000),
    ],
)
def test_the_name_tells_the_window(name: str, tokens: int) -> None:
    assert context_window_of(name, UNSAID) == tokens


def test_what_is_set_counts_more_than_what_is_known() -> None:
    assert context_window_of("openai:gpt-5", ModelSettings(context_window=8_192)) == 8_192


def test_the_table_never_promises_more_than_the_price_list_knows() -> None:
    known = {
        f"{provider.id}:{model.id}": model.context_window
        for provider in get_snapshot().providers
        if provider.id in VENDORS
        for model in provider.models
        if model.context_window is not None and not model.id.startswith(("text-", "computer-use"))
    }

    too_large = {n: w for n, w in known.items() if w < context_window_of(n, UNSAID)}
    too_small = {n: w for n, w in known.items() if context_window_of(n, UNSAID) < 0.9 * w}

    assert len(known) > 80
    assert not too_large
    assert not too_small
