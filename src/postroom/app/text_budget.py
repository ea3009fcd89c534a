"""What the person lets one text cost, as limits of the chain that it begins."""

from decimal import Decimal
from typing import TypeAlias

from postroom.domain.receipt import Code
from postroom.errors import Refused
from postroom.profiles.aliases import COUNT_MAX, dollars_of, micros_of

Dollars: TypeAlias = int | float | Decimal | str
"""An amount: a number, or as a person writes it."""


def limits_of_text(max_tokens: int | None, max_cost_usd: Dollars | None) -> dict[str, int | None]:
    """Fields of `ChainLimits`: only those that were said; 0 is no limit.

    Raises `Refused` (`invalid_arguments`) for what is no amount, or too little to be counted.
    """
    limits: dict[str, int | None] = {}
    if max_tokens is not None:
        if not 0 <= max_tokens <= COUNT_MAX:
            raise _wrong(f"{max_tokens} is no number of tokens")
        limits["tokens_max"] = max_tokens or None
    if max_cost_usd is not None:
        limits["cost_micros_max"] = _micros(max_cost_usd) or None
    return limits


def _micros(dollars: Dollars) -> int:
    amount = dollars_of(str(dollars) if isinstance(dollars, Decimal) else dollars)
    if amount is None:
        raise _wrong(f"{dollars} is no amount in dollars")
    micros = micros_of(amount)
    if amount and not 0 < micros <= COUNT_MAX:
        raise _wrong(f"{dollars} dollars cannot be counted in millionths")
    return micros


def _wrong(what: str) -> Refused:
    return Refused(Code.INVALID_ARGUMENTS, what)
