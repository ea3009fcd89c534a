"""What each surface promises about each other one, written by hand from product.md sections 5 and 6."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ABSENT: Final = "absent"
"""It reads what somebody reads who writes to nobody."""
ACCEPTED: Final = "accepted"
HELD: Final = "held"
"""Durable with its sender until the person gives leave."""
ASKS: Final = "asks"
"""The call waits for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What an agent of one surface meets that writes to one of another."""

    beside: str = ABSENT
    """Where both work in one directory, in different trees."""
    elsewhere: str = ABSENT
    """In different directories."""
    mode: str = "steer"
    """How it enters: what the sender's tool says by itself, as the recipient's mailbox takes it."""
    full: str = ""
    """Why one is refused that finds a full mailbox. Empty: the oldest goes instead."""


_TO_BRANCH: Final = {"mode": "queue"}
_TO_PEER: Final = {"full": "mailbox_full"}
_TO_TEAM: Final = {"full": "inbox_full"}
PAIRS: Final[Mapping[tuple[str, str], Pair]] = {
    ("tree", "tree"): Pair(),
    ("tree", "peer"): Pair(),
    ("tree", "roster"): Pair(),
    ("tree", "branch"): Pair(),
    ("tree", "team"): Pair(),
    ("peer", "tree"): Pair(),
    ("peer", "peer"): Pair(beside=ACCEPTED, **_TO_PEER),
    ("peer", "roster"): Pair(),
    ("peer", "branch"): Pair(beside=ACCEPTED, **_TO_BRANCH),
    ("peer", "team"): Pair(beside=HELD, full="mailbox_full"),  # the only such code that it knows
    ("roster", "tree"): Pair(),
    ("roster", "peer"): Pair(),
    ("roster", "roster"): Pair(),
    ("roster", "branch"): Pair(),
    ("roster", "team"): Pair(),
    ("branch", "tree"): Pair(),
    ("branch", "peer"): Pair(beside=ACCEPTED, mode="queue", **_TO_PEER),
    ("branch", "roster"): Pair(),
    ("branch", "branch"): Pair(beside=ACCEPTED, elsewhere=ACCEPTED, **_TO_BRANCH),
    ("branch", "team"): Pair(beside=ASKS, mode="queue", **_TO_TEAM),
    ("team", "tree"): Pair(),
    ("team", "peer"): Pair(beside=HELD, **_TO_PEER),
    ("team", "roster"): Pair(),
    ("team", "branch"): Pair(beside=HELD, **_TO_BRANCH),
    ("team", "team"): Pair(beside=HELD, **_TO_TEAM),
}
"""By sender and recipient. Nobody outside knows of a tree or of a turn, and neither writes out of it."""
MODE_IN_ONE_TREE: Final[Mapping[str, str]] = {
    "tree": "steer",
    "roster": "steer",
    "branch": "queue",
    "team": "steer",
}
"""Between an agent and the one that made it; on `peer` that is of the same profile and tested elsewhere."""
REFUSED_AS: Final[Mapping[str, str]] = {
    "peer": "not_found",
    "roster": "unknown_selector",
    "branch": "unknown_reference",
    "team": "unknown_reference",
}
"""What absence reads like. `tree` tells a session of another tree from none at all, by a code of its own."""
READS_OTHERS: Final = frozenset({"peer", "branch", "team"})
"""Who has a tool to look at others; on `tree` that is results of own children, on `roster` nothing."""
