"""Whether the price list that comes with the SDKs has a price for a model, asked before the model is.

Apart from `postroom.llm.prices`, which needs a vendor's whole SDK: this is asked when a room opens.
"""


def is_listed(model: str, base_url: str) -> bool:
    """Whether a model at this address has a price. Without the list nothing has one."""
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415 - slow to load
    except ImportError:
        return False
    try:
        calc_price(Usage(input_tokens=1, output_tokens=1), model_ref=model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return False
    return True
