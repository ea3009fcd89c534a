"""What a request to a model costs: charged to the chain of its turn, and booked for its agent by day."""

from typing import NamedTuple

from postroom.domain.chain import Chain
from postroom.domain.plain import Json
from postroom.domain.turn import Turn
from postroom.llm.port import Usage
from postroom.service.budgets import charge_chain
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_work import Spent


class Charged(NamedTuple):
    """What the event of a request says of its cost, and how its chain stands now."""

    facts: dict[str, Json]
    chain: Chain


def charge(tx: Tx, turn: Turn | TurnRow, usage: Usage, *, rounds: int) -> Charged:
    """Charge one answer, or with no `rounds` a side call.

    An unknown price counts as nothing, and is counted.
    """
    cost_micros = usage.cost_micros or 0
    chain = charge_chain(tx, turn.session, turn.chain, usage.input_tokens + usage.output_tokens, cost_micros)
    spent = Spent(
        rounds, usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens,
        cost_micros, int(usage.cost_micros is None),
    )  # fmt: skip
    facts: dict[str, Json] = {
        "chain": turn.chain, "day": tx.add_spend(turn.branch, turn.chain, spent),
        "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens,
        "cost_micros": usage.cost_micros,
    }  # fmt: skip
    return Charged(facts, chain)
