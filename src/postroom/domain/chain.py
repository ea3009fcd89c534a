"""Chain: everything that grows out of one text of the person; what it has spent and may spend."""

from typing import NamedTuple

from postroom.domain.policy import Policy


class ChainLimits(NamedTuple):
    """What a chain may spend, fixed when it is born; `None` is no limit.

    Turns, tokens and money are totals of the chain. Messages and generations are counted along its paths,
    agents made in each of its turns.
    """

    turns_max: int | None = None
    messages_max: int | None = None
    generations_max: int | None = None
    fan_out_max: int | None = None
    tokens_max: int | None = None
    cost_micros_max: int | None = None


class Chain(NamedTuple):
    """The totals of a chain beside their limits."""

    turns: int
    tokens: int
    cost_micros: int
    limits: ChainLimits

    @property
    def is_spent(self) -> bool:
        """Whether one of its totals has reached its limit: nothing of it begins any more."""
        return self.is_dry or _reached(self.turns, self.limits.turns_max)

    @property
    def is_dry(self) -> bool:
        """Whether no model may be asked any more, also by a turn that runs: only tokens and money say so."""
        most = self.limits
        return _reached(self.tokens, most.tokens_max) or _reached(self.cost_micros, most.cost_micros_max)


def _reached(spent: int, limit: int | None) -> bool:
    return limit is not None and spent >= limit


def limits_of(policy: Policy) -> ChainLimits:
    """The limits of a chain that is born under a policy."""
    return ChainLimits(
        turns_max=policy.chain_turns_max, messages_max=policy.messages_max,
        generations_max=policy.generations_max, fan_out_max=policy.fan_out_max,
        tokens_max=policy.tokens_max, cost_micros_max=policy.cost_micros_max,
    )  # fmt: skip
