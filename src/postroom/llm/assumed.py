"""Prices that the settings assume where no list has one, so that money can be counted all the same."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText

PER_TOKENS = 1_000_000
"""Tokens that a price is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Millionths of a dollar for a million tokens."""

    input_micros: int
    output_micros: int

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """What so many tokens cost in millionths of a dollar, rounded up: never nothing for something."""
        cost = self.input_micros * input_tokens + self.output_micros * output_tokens
        return -(-cost // PER_TOKENS)


@runtime_checkable
class KnowsPrice(Protocol):
    """A model of which it can be told beforehand whether its answers have a price."""

    @property
    def has_price(self) -> bool:
        """Whether they have one."""
        ...


def has_price(model: Model) -> bool:
    """Whether what a model's answers cost will be known. Of a model that cannot tell, nobody knows."""
    return isinstance(model, KnowsPrice) and model.has_price


class AtAssumedPrice:
    """A model whose answers without a price get the assumed one."""

    def __init__(self, model: Model, price: Price) -> None:
        self._model = model
        self._price = price

    @property
    def has_price(self) -> bool:
        """Always: the list's, or the assumed one."""
        return True

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The model's own answer, with a price."""
        answer = await self._model.request(request, on_text)
        if answer.usage.cost_micros is not None:
            return answer
        cost = self._price.of(answer.usage.input_tokens, answer.usage.output_tokens)
        return replace(answer, usage=replace(answer.usage, cost_micros=cost))
