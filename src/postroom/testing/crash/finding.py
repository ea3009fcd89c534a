"""What an audit says: one sentence and what kind of trouble it is."""

from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """Kinds of trouble, worst first."""

    LOST = "lost"  # promised or accepted, and not where it must be
    DOUBLED = "doubled"  # twice where it may be once
    INVALID = "invalid"  # a history, an order or a state that no road leads to
    STUCK = "stuck"  # all is quiet and this still waits
    MISCOUNTED = "miscounted"  # a counter differs from a recount
    DIAGNOSED = "diagnosed"  # the doctor's finding
    INVARIANT = "invariant"  # one of I1 to I7, said in words of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that does not fit."""

    trouble: Trouble
    text: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.trouble}: {self.text}"
