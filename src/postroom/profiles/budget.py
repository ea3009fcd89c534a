"""`[budget]`: the price that is assumed where none is known. Its limits are fields of the policy."""

from decimal import Decimal

from postroom.llm.assumed import Price
from postroom.profiles.aliases import MICROS, dollars_of, micros_of
from postroom.profiles.fields import Fields

_DOLLARS_MOST = 1_000_000
_REMEDY = 'dollars for a million tokens: 3, or "3/15" when the answer costs more than the request'


def read_assumed_price(fields: Fields) -> Price | None:
    """`assume_price` of a `[budget]` table whose aliases are moved; closes the table."""
    setting = fields.setting("assume_price")
    fields.close()
    if setting is None:
        return None
    if isinstance(setting.value, str):
        parts: list[object] = [*setting.value.split("/")]
    else:
        parts = [setting.value]
    amounts = [amount for part in parts if (amount := dollars_of(part)) is not None]
    if len(amounts) != len(parts) or len(parts) not in (1, 2) or max(amounts) > _DOLLARS_MOST:
        fields.complain(setting, "is no price", _REMEDY)
        return None
    micros = [micros_of(amount) for amount in amounts]
    return Price(input_micros=micros[0], output_micros=micros[-1])


def shown_price(price: Price | None) -> str:
    """A price as a person would write it; empty if none is assumed."""
    if price is None:
        return ""
    parts = dict.fromkeys((_shown(price.input_micros), _shown(price.output_micros)))
    return "/".join(parts)


def _shown(micros: int) -> str:
    return f"{Decimal(micros) / MICROS:f}"
