"""What of a long session is drawn: the ends and the forks of its newest branches, and counts in between.

A person looks at a few dozen nodes at once, and a browser mounts a few hundred. So a session with more items
than that is drawn as a skeleton, and each stretch that is left out is one node with a count, which opens.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from postroom.observe.graph_layer import ROOT, Item, Layer

WHOLE_ITEMS: Final = 200
"""Up to so many items a session is drawn whole."""
TAIL_ITEMS: Final = 40
"""How many of the newest items of the branch that is looked at are always drawn."""
OTHER_TAILS: Final = 48
"""How many of the newest items all other branches share."""
BRANCHES_DRAWN: Final = 12
"""How many branches have their ends and forks drawn."""
BRANCHES_FOLDED: Final = 28
"""How many more are drawn as one node with a count."""
OPENED_ITEMS: Final = 60
"""How many items are drawn more where a stretch is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Items of a branch that are drawn as one; it bears the key of the first."""

    items: tuple[Item, ...]

    @property
    def key(self) -> int:
        """The key of its first item."""
        return self.items[0].key


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """What is drawn, branch by branch, oldest first; `shown` says by which key an item is drawn."""

    parts: tuple[Item | Stretch, ...]
    shown: dict[int, int]
    n_hidden: int
    """How many branches are not drawn at all."""


def skeleton_of(layer: Layer, looked_at: int, opened: Iterable[int]) -> Skeleton:
    """What is drawn of a layer with one branch in the foreground and some stretches opened."""
    branches = layer.branches
    own = [n for n, items in enumerate(branches) if items]
    if sum(len(items) for items in branches) <= WHOLE_ITEMS:
        return _drawn(layer, {n: frozenset(item.key for item in branches[n]) for n in own}, 0)
    order = _by_weight(layer, looked_at, own)
    drawn, folded = order[:BRANCHES_DRAWN], order[BRANCHES_DRAWN : BRANCHES_DRAWN + BRANCHES_FOLDED]
    forks = {layer.branches[n][0].follows for n in (*drawn, *folded)}
    kept = {n: _kept(branches[n], _tail(n == looked_at, len(drawn)), forks) for n in drawn}
    kept |= {n: frozenset[int]() for n in folded}
    for key in opened:
        item = layer.items.get(key)
        if item is not None and item.branch in kept:
            kept[item.branch] |= _behind(branches[item.branch], key)
    return _drawn(layer, kept, len(order) - len(kept))


def _by_weight(layer: Layer, looked_at: int, own: Sequence[int]) -> list[int]:
    """The branches in the order in which they are drawn: each behind those that it goes on from."""
    order = dict[int, None]()
    for branch in sorted(own, key=lambda n: (n != looked_at, -layer.branches[n][-1].last)):
        above = [branch]
        while (base := layer.branches[above[-1]][0].follows) != ROOT:
            above.append(layer.items[base].branch)
        order |= dict.fromkeys(reversed(above))
    return list(order)


def _tail(is_looked_at: bool, n_drawn: int) -> int:  # noqa: FBT001 -- the one thing that it depends on
    return TAIL_ITEMS if is_looked_at else max(2, OTHER_TAILS // n_drawn)


def _kept(items: Sequence[Item], tail: int, forks: set[int]) -> frozenset[int]:
    """The first item, the last ones, and those that others go on from."""
    return frozenset((
        items[0].key, *(item.key for item in items[-tail:]),
        *(item.key for item in items if item.key in forks),
    ))  # fmt: skip


def _behind(items: Sequence[Item], key: int) -> frozenset[int]:
    begin = next(n for n, item in enumerate(items) if item.key == key)
    return frozenset(item.key for item in items[begin : begin + OPENED_ITEMS])


def _drawn(layer: Layer, kept: dict[int, frozenset[int]], n_hidden: int) -> Skeleton:
    parts = [part for n in sorted(kept) for part in _parts(layer.branches[n], kept[n])]
    shown = dict[int, int]()
    for part in parts:
        for item in part.items if isinstance(part, Stretch) else (part,):
            shown[item.key] = part.key
    return Skeleton(parts=tuple(parts), shown=shown, n_hidden=n_hidden)


def _parts(items: Sequence[Item], kept: frozenset[int]) -> Iterator[Item | Stretch]:
    """The items that are kept, and what lies between them; one alone takes no more room than a count."""
    left = list[Item]()
    for item in items:
        if item.key not in kept:
            left.append(item)
            continue
        yield from _folded(left)
        left.clear()
        yield item
    yield from _folded(left)


def _folded(left: Sequence[Item]) -> Iterator[Item | Stretch]:
    if len(left) > 1:
        yield Stretch(items=tuple(left))
    else:
        yield from left
