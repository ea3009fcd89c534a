"""The conversation layer of a session: which nodes stand for a turn, and where each branch begins.

What was said is drawn, the rounds of a turn are not: the answers of one run, and the results between them,
are one item, which bears the key of its first answer. So it keeps its key while the turn goes on. An answer
that comes back by itself is merged into the item that it follows, unless a merged branch came back with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from postroom.domain.message import Kind
from postroom.domain.node import Role
from postroom.store.tx_graph import GraphBranchRow, GraphStep

ROOT: Final = 0
"""The item that every conversation of a session begins at; no node has this key."""
_COMES_BACK: Final = frozenset({Kind.RESULT, Kind.REPLY})
SHAPES: Final = {Role.USER: "user", Role.ASSISTANT: "llm", Role.SUMMARY: "summary"}
"""How nodes are drawn, by role; the results of a round are a part of the answer before them."""


@dataclass(slots=True, kw_only=True)
class Item:
    """One node as it is drawn, with the nodes that it stands for."""

    key: int
    shape: str
    branch: int
    turn: int
    round: int
    follows: int
    """The node that it follows or was called by, later the item of that; 0: the root."""
    link: str
    """How: `next` on its branch, `fork` of another one, `spawn` of a call, `root`."""
    last: int
    """The newest of its nodes."""
    message: int
    """The one that it shows first; 0: none."""
    said: int
    """Of a run of answers the newest one, else the node itself."""
    turns: list[int] = field(default_factory=list[int])
    """The turns that go through it."""
    replies: int = 0
    """How many answers that came back are merged into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The items of every branch, oldest first, and how to find them."""

    branches: tuple[tuple[Item, ...], ...]
    items: Mapping[int, Item]
    at: Mapping[int, int]
    """The item of each node."""
    answers: Mapping[tuple[int, int], int]
    """The item of the answer of a turn and a round."""
    ends: Mapping[int, int]
    """The newest item of each turn."""
    heads: tuple[int, ...]
    """The item of each branch's head; 0 where nothing was said."""

    def path(self, branch: int) -> Iterable[Item]:
        """The items of a conversation, newest first, through what it shares with others."""
        key = self.heads[branch]
        while key:
            item = self.items[key]
            yield item
            key = ROOT if item.link in ("spawn", "root") else item.follows


def layer_of(rows: Sequence[GraphBranchRow], steps: Mapping[int, GraphStep], merges: frozenset[int]) -> Layer:
    """The layer of a session. `merges` are the messages with which merged branches came back."""
    drawing = _Drawing(steps, merges)
    branches: list[tuple[Item, ...]] = [()] * len(rows)
    for index in sorted(range(len(rows)), key=lambda n: (rows[n].is_sealed, rows[n].key)):
        branches[index] = drawing.branch(index, rows[index].head)
    for items in branches:
        if items:
            items[0].follows = drawing.at.get(items[0].follows, ROOT)
            items[0].link = "root" if items[0].follows == ROOT else items[0].link
    return Layer(
        branches=tuple(branches), items={item.key: item for items in branches for item in items},
        at=drawing.at, answers=drawing.answers, ends=drawing.ends,
        heads=tuple(drawing.at.get(row.head or ROOT, ROOT) for row in rows),
    )  # fmt: skip


class _Drawing:
    """What is known while the branches are walked; a node belongs to the first branch that it is met on."""

    def __init__(self, steps: Mapping[int, GraphStep], merges: frozenset[int]) -> None:
        self._steps = steps
        self._merges = merges
        self.at: dict[int, int] = {}
        self.answers: dict[tuple[int, int], int] = {}
        self.ends: dict[int, int] = {}

    def branch(self, index: int, head: int | None) -> tuple[Item, ...]:
        """The items of what no other branch has drawn yet, oldest first."""
        items = list[Item]()
        for step in reversed(self._own(head)):
            self._add(items, step, index)
        return tuple(items)

    def _own(self, head: int | None) -> list[GraphStep]:
        own = list[GraphStep]()
        while head is not None and head not in self.at and (step := self._steps.get(head)) is not None:
            own.append(step)
            head = step.predecessor
        return own

    def _add(self, items: list[Item], step: GraphStep, index: int) -> None:
        item = self._joined(items, step) or self._new(items, step, index)
        if item is None:  # the results of a round, at the beginning of a branch
            return
        item.last = step.key
        if step.turn not in item.turns:
            item.turns.append(step.turn)
        self.at[step.key] = self.ends[step.turn] = item.key
        if step.role == Role.ASSISTANT:
            self.answers[step.turn, step.round] = item.key
            item.said = step.key

    def _joined(self, items: Sequence[Item], step: GraphStep) -> Item | None:
        """The item before, where the node is a part of it."""
        if not items:
            return None
        last = items[-1]
        if step.role == Role.TOOL:
            return last
        if step.role == Role.USER and step.kind in _COMES_BACK and step.message not in self._merges:
            last.replies += 1
            return last
        is_run = step.role == Role.ASSISTANT and last.shape == "llm" and last.turn == step.turn
        return last if is_run else None

    def _new(self, items: list[Item], step: GraphStep, index: int) -> Item | None:
        shape = "merge" if step.message in self._merges else SHAPES.get(Role(step.role))
        if shape is None:
            return None
        before = items[-1].key if items else step.predecessor or step.caller or ROOT
        link = "next" if items else "fork" if step.predecessor is not None else "spawn"
        items.append(Item(
            key=step.key, shape=shape, branch=index, turn=step.turn, round=step.round, follows=before,
            link=link, last=step.key, message=step.message,
            said=step.key,
        ))  # fmt: skip
        return items[-1]
