"""The state that a log folds to, and the few ways in which it changes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

from postroom.domain.message import Kind, Mode, State
from postroom.rules import lifecycle
from postroom.rules.fold import rows

R = TypeVar("R")


class NotFoldable(ValueError):
    """An event that cannot follow what stands before it, or cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A place where a log does not say what happened. Behind it the fold of that session is a guess."""

    pos: int
    session: int
    seq: int
    what: str


@dataclass(slots=True, kw_only=True)
class Tables:
    """Rows by key: as the log gives them, as they stand, or as they are to be believed."""

    branches: dict[int, rows.Branch] = field(default_factory=dict[int, rows.Branch])
    deliveries: dict[int, rows.Delivery] = field(default_factory=dict[int, rows.Delivery])
    turns: dict[int, rows.Turn] = field(default_factory=dict[int, rows.Turn])
    tasks: dict[int, rows.Task] = field(default_factory=dict[int, rows.Task])
    calls: dict[int, rows.Call] = field(default_factory=dict[int, rows.Call])
    waits: dict[int, rows.Wait] = field(default_factory=dict[int, rows.Wait])
    chains: dict[int, rows.Chain] = field(default_factory=dict[int, rows.Chain])
    pairs: dict[tuple[int, int], rows.Pair] = field(default_factory=dict[tuple[int, int], rows.Pair])
    producers: dict[int, rows.Producer] = field(default_factory=dict[int, rows.Producer])
    timers: dict[int, rows.Timer] = field(default_factory=dict[int, rows.Timer])
    spends: dict[tuple[int, int, int], rows.Spend] = field(
        default_factory=dict[tuple[int, int, int], rows.Spend]
    )
    """(branch, chain, day) -> what was spent."""
    sessions: dict[int, rows.Session] = field(default_factory=dict[int, rows.Session])
    asks: dict[int, rows.Ask] = field(default_factory=dict[int, rows.Ask])
    grants: dict[int, rows.Grant] = field(default_factory=dict[int, rows.Grant])
    goals: dict[int, rows.Goal] = field(default_factory=dict[int, rows.Goal])
    todos: dict[int, rows.Todo] = field(default_factory=dict[int, rows.Todo])
    buses: dict[int, rows.Bus] = field(default_factory=dict[int, rows.Bus])
    readers: dict[int, rows.Reader] = field(default_factory=dict[int, rows.Reader])
    tokens: dict[int, rows.Token] = field(default_factory=dict[int, rows.Token])
    notices: dict[int, rows.Notice] = field(default_factory=dict[int, rows.Notice])


@dataclass(slots=True, kw_only=True)
class Folded(Tables):
    """What a log gives. Only `postroom.rules.fold.apply` and what it calls may change it."""

    task_ids: dict[int, str] = field(default_factory=dict[int, str])
    """Task -> the id that its dispatcher knows it by; empty where an older log does not say."""
    posted: dict[int, int] = field(default_factory=dict[int, int])
    """Message -> the bus on which it stands."""
    seqs: dict[int, int] = field(default_factory=dict[int, int])
    """Session -> the number of its newest event."""
    epoch: int = 0
    residents: set[int] = field(default_factory=set[int])
    """Branches that the process which was started last holds in memory."""
    sent: set[int] = field(default_factory=set[int])
    delivered: set[int] = field(default_factory=set[int])
    """Deliveries of which the log of their sender says that they were made."""
    accepted: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """Message -> the branches that accepted it."""
    doubled: set[int] = field(default_factory=set[int])
    """Messages that were accepted or consumed a second time, or entered a context as a second node."""
    turns_started: int = 0
    breaks: list[Break] = field(default_factory=list[Break])


class Facts:
    """A payload, read strictly: what is missing or of another type cannot be folded."""

    __slots__ = ("_values",)

    def __init__(self, payload: str) -> None:
        values: object = json.loads(payload)
        if not isinstance(values, dict):
            raise NotFoldable("the payload is no JSON object")
        self._values = cast("dict[str, object]", values)

    def key(self, name: str) -> int:
        """A number that must be there."""
        value = self._values.get(name)
        if not isinstance(value, int):
            raise NotFoldable(f"the payload has no number {name}")
        return value

    def maybe(self, name: str) -> int | None:
        """A number, or null."""
        return None if self._values.get(name) is None else self.key(name)

    def word(self, name: str) -> str:
        """A text that must be there."""
        value = self._values.get(name)
        if not isinstance(value, str):
            raise NotFoldable(f"the payload has no text {name}")
        return value

    def word_or(self, name: str, otherwise: str) -> str:
        """A text, or what stands for it in an older log."""
        return self.word(name) if name in self._values else otherwise

    def json(self, name: str) -> str:
        """A value of any shape that must be there, as the JSON that a row holds."""
        if name not in self._values:
            raise NotFoldable(f"the payload has no {name}")
        return json.dumps(self._values[name])

    def json_or(self, name: str, otherwise: str) -> str:
        """The same, or what stands for it where the log does not say."""
        return self.json(name) if name in self._values else otherwise

    def keys(self, name: str) -> list[int]:
        """A list of numbers."""
        value = self._values.get(name)
        if not isinstance(value, list):
            raise NotFoldable(f"the payload has no list {name}")
        return [v for v in cast("list[object]", value) if isinstance(v, int)]


def branch_of(state: Folded, key: int) -> rows.Branch:
    """A branch that the log has made."""
    return known(state.branches, key, f"branch {key} was never made")


def delivery_of(state: Folded, key: int) -> rows.Delivery:
    """A delivery that the log has accepted."""
    return known(state.deliveries, key, f"delivery {key} was never accepted")


def turn_of(state: Folded, key: int) -> rows.Turn:
    """A turn that the log has opened."""
    return known(state.turns, key, f"turn {key} was never opened")


def task_of(state: Folded, key: int) -> rows.Task:
    """A task that the log has queued."""
    return known(state.tasks, key, f"task {key} was never queued")


def known(table: Mapping[int, R], key: int, missing: str) -> R:
    """A row that is there. Raises `NotFoldable`, saying what is `missing`."""
    found = table.get(key)
    if found is None:
        raise NotFoldable(missing)
    return found


def put_delivery(state: Folded, key: int, after: rows.Delivery) -> None:
    """A delivery as it stands now; the counters of its mailbox and its pair follow."""
    before = state.deliveries.get(key)
    state.deliveries[key] = after
    _count(state, after, before)
    held = _is_held(after) - (before is not None and _is_held(before))
    if held and after.sender is not None:
        _add_to_pair(state, after.sender, after.branch, held=held)


def hold_in_memory(state: Folded, branch: int) -> None:
    """A turn of it runs, or a front end has opened it, in the process that was started last."""
    state.residents.add(branch)
    state.branches[branch] = branch_of(state, branch)._replace(resident=1)


def let_go(state: Folded, branch: int) -> None:
    """It is not in memory any more."""
    state.residents.discard(branch)
    state.branches[branch] = branch_of(state, branch)._replace(resident=0)


def put_held(state: Folded, key: int, row: rows.Delivery) -> None:
    """A message that lies with its sender: nothing of its recipient changes, whose log need not be here."""
    state.deliveries[key] = row
    if row.sender is not None and _is_held(row):
        _add_to_pair(state, row.sender, row.branch, held=1)


def _is_held(row: rows.Delivery) -> bool:
    return row.state == State.HELD and lifecycle.is_counted(Kind(row.kind))


def _count(state: Folded, after: rows.Delivery, before: rows.Delivery | None) -> None:
    new, old = _counts(after), None if before is None else _counts(before)
    if new == old:
        return
    steer, queue, notice, parked, cap = (n - o for n, o in zip(new, old or (0, 0, 0, 0, 0), strict=True))
    branch = branch_of(state, after.branch)
    state.branches[after.branch] = branch._replace(
        n_steer=branch.n_steer + steer, n_queue=branch.n_queue + queue, n_notice=branch.n_notice + notice,
        n_parked=branch.n_parked + parked, n_cap=branch.n_cap + cap,
    )  # fmt: skip
    if cap and after.sender is not None:
        _add_to_pair(state, after.sender, after.branch, unacked=cap)


def _add_to_pair(state: Folded, sender: int, branch: int, *, unacked: int = 0, held: int = 0) -> None:
    row = state.pairs.get((sender, branch), rows.Pair())
    state.pairs[sender, branch] = rows.Pair(row.unacked + unacked, row.held + held)


def _counts(row: rows.Delivery) -> lifecycle.Counts:
    return lifecycle.counts(Kind(row.kind), Mode(row.mode), State(row.state), parked=bool(row.parked))
