"""Path: the conversation of a branch as a chain of nodes, and the places where it can be cut.

Two paths may begin with the same nodes: a fork shares those of what it was made from, a sealed branch
those of what it was cut from.
"""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, NodeKey


class Step(NamedTuple):
    """One node of a path, without its text."""

    node: NodeKey
    role: str
    turn: int
    round: int
    calls: int
    """Of an answer: how many calls it made. Of results: how many there are."""
    turn_id: str
    message_id: str
    is_note: int = 0
    """Whether it is what agents, perhaps beside the person, have said on the bus of its turn."""


class Sealed(NamedTuple):
    """The path that a revert left."""

    branch: BranchKey
    branch_id: str
    head: NodeKey | None
    sealed_from: BranchKey
    sealed_us: int
