"""Totals of a chain while its turns run (O-33): what ends a turn, and who is told.

Everything is decided on totals that are read in the transaction that writes. A call in flight at the limit is
finished, and its answer committed; nothing is asked after it, so a chain spends at most its limit and one
call for each agent that was asking.
"""

from postroom.domain.chain import Chain, ChainLimits
from postroom.domain.keys import ChainKey, SessionKey
from postroom.domain.receipt import Code
from postroom.llm.port import Usage
from postroom.store.tx import Tx

_MICROS = 1_000_000
_NEXT = "say something new: it begins a chain of its own"


def why_no_more(chain: Chain, usage: Usage | None = None) -> str | None:
    """Why a running turn may ask its model no more, as the reason of its end; `None` if it may.

    With the `usage` of the answer just committed: money cannot be bounded where nobody knows the price.
    """
    if chain.is_dry:
        return f"{Code.CHAIN_SPENT}: {_spent_words(chain)}"
    if usage is not None and usage.cost_micros is None and chain.limits.cost_micros_max is not None:
        return f"{Code.PRICE_UNKNOWN}: nobody knows what the answer cost, and its chain has a budget of money"
    return None


def charge_chain(tx: Tx, session: SessionKey, chain: ChainKey, tokens: int, cost_micros: int) -> None:
    """What was asked of a model goes to its chain; the person is told once, by what takes the last of it."""
    tx.charge_chain(chain, tokens=tokens, cost_micros=cost_micros)
    now = tx.chain_of(chain)
    before = now._replace(tokens=now.tokens - tokens, cost_micros=now.cost_micros - cost_micros)
    if now.is_dry and not before.is_dry:
        tx.notify_person(session, Code.CHAIN_SPENT, f"{_spent_words(now)}; {_NEXT}")


def _spent_words(chain: Chain) -> str:
    parts = [*_tokens(chain.tokens, chain.limits), *_money(chain.cost_micros, chain.limits)]
    return f"the budget of the chain is spent: {', '.join(parts)}"


def _tokens(spent: int, limits: ChainLimits) -> list[str]:
    most = limits.tokens_max
    return [] if most is None or spent < most else [f"{spent:,} of {most:,} tokens"]


def _money(spent: int, limits: ChainLimits) -> list[str]:
    most = limits.cost_micros_max
    return [] if most is None or spent < most else [f"{dollars(spent)} of {dollars(most)}"]


def dollars(micros: int) -> str:
    """An amount as a person reads it: cents, and what is smaller only where there is some."""
    shown = f"{micros / _MICROS:.6f}"
    whole, _, rest = shown.partition(".")
    return f"${int(whole):,}.{rest[:2]}{rest[2:].rstrip('0')}"
