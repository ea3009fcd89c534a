"""Where a path can be cut, and what a person calls such a place (docs/why/0024).

A conversation is cut behind any node that leaves no call without its result. Its items are numbered from 1
as people see them, each result of a round with a number of its own; 0 is the place before the first.
"""

import re
from collections.abc import Sequence

from postroom.domain.node import Role
from postroom.domain.path import Step

_FORK = re.compile(r"(?P<title>.*) \(fork(?: (?P<number>\d+))?\)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,18}")
"""More digits than any path has items would only cost time to read."""


def items_of(step: Step) -> int:
    """How many items people see of a node."""
    return step.calls if step.role == Role.TOOL else 1


def is_end(step: Step) -> bool:
    """Whether every call up to this node has its result in the path, and it is no note of the bus of a turn.

    A note is nobody's turn: it came between two rounds, and is left with what was said to it (KK-48).
    """
    return not step.is_note and (step.role != Role.ASSISTANT or not step.calls)


def snap(steps: Sequence[Step], kept: int) -> int:
    """The most steps, at most `kept`, that leave no call without its result."""
    while kept and not is_end(steps[kept - 1]):
        kept -= 1
    return kept


def names_item(reference: str) -> bool:
    """Whether a reference is the number of an item, which says nothing of whose path."""
    return _NUMBER.fullmatch(reference) is not None


def find_place(steps: Sequence[Step], reference: str) -> int | None:
    """How many steps a reference keeps: up to item N, to the end of a turn, or to a message, with it."""
    if names_item(reference):
        return _up_to_item(steps, int(reference))
    if not (named := reference.lower()):
        return None
    for kept in range(len(steps), 0, -1):
        step = steps[kept - 1]
        if named in (step.turn_id, step.message_id):
            return kept
    return None


def _up_to_item(steps: Sequence[Step], number: int) -> int | None:
    kept = seen = 0
    while seen < number and kept < len(steps):
        seen += items_of(steps[kept])
        kept += 1
    return kept if seen >= number else None


def n_shared(path: Sequence[int], other: Sequence[int]) -> int:
    """How many nodes two paths begin with alike."""
    pairs = enumerate(zip(path, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(path), len(other)))


def fork_title(title: str) -> str:
    """The title with a suffix; a fork of a fork counts."""
    found = _FORK.fullmatch(title)
    if found is None:
        return f"{title} (fork)".strip()
    return f"{found['title']} (fork {int(found['number'] or 1) + 1})"
