"""Places of conversations: the one that a person names, and how long the context is there."""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.domain.keys import BranchKey, NodeKey
from postroom.domain.node import Role
from postroom.domain.path import Step
from postroom.domain.receipt import Code, Refusal
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.paths import find_place, items_of, names_item, snap
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A conversation from its first node to its head. `branch_id` is empty for the one that goes on."""

    branch: BranchKey
    branch_id: str
    steps: tuple[Step, ...]

    @property
    def nodes(self) -> tuple[NodeKey, ...]:
        """The keys of all its nodes."""
        return tuple(step.node for step in self.steps)

    @property
    def head(self) -> NodeKey | None:
        """The newest node."""
        return self.steps[-1].node if self.steps else None

    def address(self, number: int) -> str:
        """What a person types to name the place behind an item of this path."""
        return f"{self.branch_id}:{number}" if self.branch_id else str(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a path is to be cut: behind the first `kept` steps."""

    path: Path
    kept: int

    @property
    def node(self) -> NodeKey | None:
        """The newest node that is kept; none at the very beginning."""
        return self.path.steps[self.kept - 1].node if self.kept else None

    @property
    def left(self) -> tuple[Step, ...]:
        """What lies behind it."""
        return self.path.steps[self.kept :]

    @property
    def address(self) -> str:
        """What a person types to name it again."""
        return self.path.address(sum(map(items_of, self.path.steps[: self.kept])))


def own_path(tx: Tx, branch: BranchKey) -> Path:
    """The conversation that an agent goes on with."""
    return Path(branch=branch, branch_id="", steps=tuple(tx.steps_to_head(tx.head_of(branch))))


def sealed_paths(tx: Tx, session: int, branch: BranchKey) -> list[Path]:
    """The paths that reverts of an agent have left, oldest first."""
    return [
        Path(branch=sealed.branch, branch_id=sealed.branch_id, steps=tuple(tx.steps_to_head(sealed.head)))
        for sealed in tx.sealed_branches(session)
        if sealed.sealed_from == branch
    ]


def place_on(path: Path, reference: str) -> Place | None:
    """The place on one path that a reference names, moved back to where every call has its result."""
    kept = find_place(path.steps, reference)
    return None if kept is None else Place(path=path, kept=snap(path.steps, kept))


def place_anywhere(tx: Tx, branch: BranchKey, reference: str | None) -> Place | Refusal:
    """A place on an agent's path, else on one that a revert left; without a reference the newest.

    `BRANCH` and `BRANCH:PLACE` name a path that a revert left.
    """
    path = own_path(tx, branch)
    if reference is None:
        return Place(path=path, kept=snap(path.steps, len(path.steps)))
    found = place_on(path, reference)
    if found is not None:
        return found
    return _on_sealed(tx, branch, reference) or no_place(reference)


def _on_sealed(tx: Tx, branch: BranchKey, reference: str) -> Place | None:
    named, colon, rest = reference.rpartition(":")
    named = named if colon else rest
    for path in reversed(sealed_paths(tx, tx.branch_row(branch).session, branch)):
        if path.branch_id == named.lower():
            return place_on(path, rest) if colon else Place(path=path, kept=len(path.steps))
        if not (colon or names_item(rest)) and (found := place_on(path, rest)) is not None:
            return found
    return None


def no_place(reference: str) -> Refusal:
    """Nothing of this conversation is called so."""
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"place": reference[:SHOWN_CHARS]})


def rounds_of(steps: Sequence[Step]) -> frozenset[tuple[int, int]]:
    """The (turn, round) of every answer among some steps."""
    return frozenset((step.turn, step.round) for step in steps if step.role == Role.ASSISTANT)
