"""Who reads the bus of a turn, for an agent that asks: every address that there has been, none is retired."""

from dataclasses import dataclass

EVERYONE = "everyone"
"""The selector that means every reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterLine:
    """One address."""

    address: str
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The addresses of a turn, in the order in which their readers were opened."""

    lines: tuple[RosterLine, ...]
