"""What an answer cost: the vendor's count of tokens, and the price list that comes with the SDKs.

The list is the one of the installed package; nothing is fetched. It is asked by the address that was
asked, so a local server or a proxy has no price even if its model has the name of a dear one: what
stands behind it, only its owner knows.
"""

from dataclasses import replace
from typing import Final

from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from postroom.llm.port import Usage

_MICROS: Final = 1_000_000
# No vendor's name in the list: an address that the list does not know must not be priced by name.
_NOBODY: Final = "nobody"


def usage_of(response: ModelResponse, base_url: str, asked: str = "") -> Usage:
    """Tokens and price of one answer; where its own name has none, by that of the model that was `asked`."""
    used = response.usage
    return Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_write_tokens=used.cache_write_tokens,
        cost_micros=_first(cost_micros(response, base_url), response, base_url, asked),
    )


def _first(cost: int | None, response: ModelResponse, base_url: str, asked: str) -> int | None:
    if cost is not None or not asked:
        return cost
    return cost_micros(replace(response, model_name=asked), base_url)


def is_listed(model: str, base_url: str) -> bool:
    """Whether a model at this address has a price, told before it is asked."""
    one = RequestUsage(input_tokens=1, output_tokens=1)
    return cost_micros(ModelResponse(parts=[], usage=one, model_name=model), base_url) is not None


def cost_micros(response: ModelResponse, base_url: str) -> int | None:
    """Millionths of a dollar, or None when the list has no price for the model at this address."""
    if not response.model_name or not response.usage.has_values():
        return None
    try:
        price = replace(response, provider_url=base_url, provider_name=_NOBODY).cost()
    except (LookupError, ValueError):
        return None
    return round(price.total_price * _MICROS)
