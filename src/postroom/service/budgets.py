"""What chains may spend: fixed when they begin, and what happens when it is spent (O-33, OP-97).

Everything is decided on totals that are read in the transaction that writes. A call in flight at the limit is
finished, and its answer committed; nothing is asked after it, so a chain spends at most its limit and one
call for each agent that was asking.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from postroom.domain.chain import Chain, ChainLimits, limits_of
from postroom.domain.keys import ChainKey, SessionKey
from postroom.domain.receipt import Code
from postroom.llm.port import Usage
from postroom.store.rows import RecipientRow
from postroom.store.tx import Tx

LimitsNow: TypeAlias = Callable[[str, str], ChainLimits | None]
"""(team, surface) -> what a chain that begins now may spend, as the settings are at this moment; nothing
where they are not known, or are those of another surface. It is asked inside transactions."""
BUDGET_SPENT = "budget_spent"
"""What the person is told with when a chain has spent its tokens or its money."""
_MICROS = 1_000_000
_NEXT = "say something new: it begins a chain of its own"
_NOT_SAID: Mapping[str, int | None] = {}


def unknown_limits(_team: str, _surface: str) -> ChainLimits | None:
    """Of a program that has no settings: chains get the limits of the session's own policy."""
    return None


def begin_chain(
    tx: Tx, to: RecipientRow, now: LimitsNow, over: Mapping[str, int | None] = _NOT_SAID
) -> ChainKey:
    """A chain begins in the session of a recipient: with the limits of now, else those it was made with.

    `over` are fields of `ChainLimits` that whoever begins it has said otherwise; `None` is no limit.
    """
    policy = tx.policy(to.policy)
    limits = now(to.team, policy.surface) or limits_of(policy)
    return tx.insert_chain(to.session, limits._replace(**over))


def why_no_more(chain: Chain, usage: Usage | None = None) -> str | None:
    """Why a running turn may ask its model no more, as the reason of its end; `None` if it may.

    With the `usage` of the answer just committed: money cannot be bounded where nobody knows the price.
    """
    if chain.is_dry:
        return spent_reason(chain)
    if usage is not None and usage.cost_micros is None and chain.limits.cost_micros_max is not None:
        return f"{Code.PRICE_UNKNOWN}: nobody knows what the answer cost, and its chain has a budget of money"
    return None


def spent_reason(chain: Chain) -> str:
    """The reason of a turn's end in a chain that is spent."""
    return f"{Code.CHAIN_SPENT}: {_spent_words(chain)}"


def charge_chain(tx: Tx, session: SessionKey, chain: ChainKey, tokens: int, cost_micros: int) -> Chain:
    """What was asked of a model goes to its chain, as it stands now; the person is told once, by what takes
    the last of it.
    """
    tx.charge_chain(chain, tokens=tokens, cost_micros=cost_micros)
    now = tx.chain_of(chain)
    before = now._replace(tokens=now.tokens - tokens, cost_micros=now.cost_micros - cost_micros)
    if now.is_dry and not before.is_dry:
        tx.notify_person(session, BUDGET_SPENT, f"{_spent_words(now)}; {_NEXT}")
    return now


def _spent_words(chain: Chain) -> str:
    most = chain.limits
    parts = [*_turns(chain.turns, most), *_tokens(chain.tokens, most), *_money(chain.cost_micros, most)]
    return f"the budget of the chain is spent: {', '.join(parts)}"


def _turns(spent: int, limits: ChainLimits) -> list[str]:
    most = limits.turns_max
    return [] if most is None or spent < most else [f"{spent:,} of {most:,} turns"]


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
