"""How a recipient stands to a sender: the label by which rules name it (systems.md 3.5).

Where a policy ships rules on relations it knows more of them: who made it and whom it made, at any distance,
the rest of the tree, and the directory.
"""

from typing import Protocol

from postroom.domain.keys import BranchKey
from postroom.rules import naming
from postroom.rules.reach import places_agree
from postroom.service.meeting import Vantage, meeting, vantage_at
from postroom.store.tx import Tx


class Kin(Protocol):
    """A recipient, as its relation is found."""

    @property
    def branch(self) -> BranchKey:
        """The agent."""
        ...

    @property
    def parent_branch(self) -> BranchKey | None:
        """Who made it."""
        ...


def relation_of(tx: Tx, own: Vantage, parent: BranchKey | None, to: Kin) -> str:
    """The label of a recipient, seen by an agent that `parent` made."""
    label = naming.relation(own.branch, parent, to.branch, to.parent_branch)
    if label != "*" or not tx.policy(own.policy).relations:
        return label
    if vantage_at(tx, to.branch).root != own.root:
        return "workspace" if places_agree(meeting(tx, own.branch, to.branch)) else label
    if tx.is_above(to.branch, own.branch):
        return "ancestor"
    return "descendant" if tx.is_above(own.branch, to.branch) else "tree"
