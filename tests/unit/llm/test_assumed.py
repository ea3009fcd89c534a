"""Assumed prices: what has none gets one, what has one keeps it."""

import pytest

from postroom.clock import SystemClock
from postroom.llm.assumed import AtAssumedPrice, Price, has_price
from postroom.llm.keys import ProviderSettings
from postroom.llm.port import ModelAnswer, ModelRequest, OnText, Usage
from postroom.llm.prices import is_listed
from postroom.llm.provider import model_for
from postroom.llm.vendors import ANTHROPIC, OPENAI

PRICE = Price(input_micros=3_000_000, output_micros=15_000_000)


class Foreign:
    """A program's own model, of which nothing is known beforehand."""

    def __init__(self, cost_micros: int | None) -> None:
        self.usage = Usage(input_tokens=1_000, output_tokens=100, cost_micros=cost_micros)

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """An answer that takes 1,100 tokens."""
        on_text(request.agent)
        return ModelAnswer(text="x", usage=self.usage)


@pytest.mark.parametrize(("known", "counted"), [(None, 4_500), (7, 7), (0, 0)])
async def test_only_an_answer_without_a_price_gets_the_assumed_one(known: int | None, counted: int) -> None:
    request = ModelRequest(agent="a", branch="b", instructions="", items=())

    answer = await AtAssumedPrice(Foreign(known), PRICE).request(request, lambda _: None)

    assert answer.usage.cost_micros == counted


def test_something_never_costs_nothing() -> None:
    assert Price(input_micros=1, output_micros=0).of(1, 0) == 1
    assert PRICE.of(0, 0) == 0


def test_a_model_that_cannot_tell_has_no_price() -> None:
    assert not has_price(Foreign(7))
    assert has_price(AtAssumedPrice(Foreign(None), PRICE))


@pytest.mark.parametrize(
    ("model", "base_url", "listed"),
    [
        ("gpt-5-mini", OPENAI.home, True),
        ("claude-sonnet-4-5", ANTHROPIC.home, True),
        ("gpt-99-nova", OPENAI.home, False),
        ("gpt-5-mini", "http://localhost:11434/v1", False),
    ],
)
def test_the_list_is_asked_by_address_before_the_model_is(model: str, base_url: str, listed: bool) -> None:
    """A dear name at a local address says nothing of what stands there."""
    made = model_for(
        f"{'openai' if model.startswith('gpt') else 'anthropic'}:{model}",
        env={"OPENAI_API_KEY": "sk-x", "ANTHROPIC_API_KEY": "sk-y"}, clock=SystemClock(),
        providers={"openai": ProviderSettings(base_url=base_url)} if model.startswith("gpt") else {},
    )  # fmt: skip

    assert is_listed(model, base_url) is listed
    assert has_price(made) is listed
