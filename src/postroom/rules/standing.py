"""How an agent stands, in one word: the same word in every list, picture and record of agents."""

from typing import Final

ARCHIVED: Final = "archived"
PAUSED: Final = "paused"
IDLE: Final = "idle"
"""Before its first turn."""


def agent_state(turn: str | None, last_turn: str, *, is_archived: bool, is_paused: bool) -> str:
    """`archived`, `paused`, the state of its turn, or that of its last one; `idle` before its first.

    `turn`: the state of the turn that waits or runs; an archived agent may have one that still ends.
    """
    if is_archived and not turn:
        return ARCHIVED
    return PAUSED if is_paused else turn or last_turn or IDLE
