"""Chains with what they have spent, may spend and have left.

A chain is all that grows out of one text of the person; its limits are fixed when it begins.
"""

from dataclasses import dataclass

from postroom.domain.keys import NEWEST, BranchKey
from postroom.observe.spend import TITLE_CHARS
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One total of a chain beside its limit."""

    spent: int
    most: int | None
    """Nothing is no limit."""
    left: int | None
    """Never less than 0: a call in flight at the limit is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """One chain. Messages and agents are counted along its paths, so only their limits are told."""

    chain: int
    session_id: str
    """Of the first agent that has spent something in it; empty before any has."""
    title: str
    """The beginning of what the person wrote to open it."""
    turns: Amount
    tokens: Amount
    cost_micros: Amount
    """Millionths of a US dollar."""
    messages_max: int | None
    generations_max: int | None
    fan_out_max: int | None
    spent: bool
    """Whether nothing of it begins any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPage:
    """Chains, newest first. `next` is what the following page begins behind; nothing at the end."""

    chains: list[BudgetView]
    next: int | None


def budget_page(tx: Tx, root: int | None, before: int | None, limit: int) -> BudgetPage:
    """At most `limit` chains before a key, of the store or of those that a tree has spent something in."""
    last = before or NEWEST
    if root is None:
        found = tx.chains_before(last, limit + 1)
    else:
        found = [chain for chain in tx.chains_of_tree(root) if chain < last]
    shown = found[:limit]
    rest = shown[-1] if len(found) > limit else None
    return BudgetPage(chains=[_budget(tx, chain) for chain in shown], next=rest)


def _budget(tx: Tx, key: int) -> BudgetView:
    chain, branch = tx.chain_of(key), tx.branch_of_chain(key)
    most = chain.limits
    return BudgetView(
        chain=key, session_id="" if branch is None else _session_id(tx, branch),
        title="" if branch is None else " ".join(tx.opening_text(branch, key).split())[:TITLE_CHARS],
        turns=_amount(chain.turns, most.turns_max), tokens=_amount(chain.tokens, most.tokens_max),
        cost_micros=_amount(chain.cost_micros, most.cost_micros_max), messages_max=most.messages_max,
        generations_max=most.generations_max, fan_out_max=most.fan_out_max, spent=chain.is_spent,
    )  # fmt: skip


def _session_id(tx: Tx, branch: int) -> str:
    return tx.session_row(tx.branch_row(BranchKey(branch)).session).public_id


def _amount(spent: int, most: int | None) -> Amount:
    return Amount(spent=spent, most=most, left=None if most is None else max(most - spent, 0))
