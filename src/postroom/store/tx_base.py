"""What the parts of a transaction share: the connection, the time, and the writer's caches."""

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar, cast

from postroom.errors import IllegalMove
from postroom.store.places import Places

if TYPE_CHECKING:
    from postroom.domain.policy import Policy  # a large class to make, and a look at a store makes none

Value: TypeAlias = int | float | str | None
Row: TypeAlias = tuple[object, ...]
T = TypeVar("T")
TASK_DIGITS = 14
"""Of the random end of an id: what a dispatcher knows a task by (systems.md 1.9)."""


NO_PRESETS: Final["Mapping[str, Policy]"] = MappingProxyType({})
"""Who only looks has none: what a policy lacks is as in a `Policy` of which nothing else is known."""


class Sources(NamedTuple):
    """What a transaction asks of the world outside the store; a test may put its own here."""

    new_id: Callable[[], str]
    token: Callable[[], str]
    place_of: Places
    presets: "Mapping[str, Policy]" = NO_PRESETS
    """By surface, what a stored policy has where it lacks a field."""


class Caches:
    """What the one writer may remember between transactions; a rolled-back batch forgets it all."""

    __slots__ = ("epoch", "policies", "seqs")

    def __init__(self) -> None:
        self.seqs: dict[int, int] = {}
        self.policies: dict[int, Policy] = {}
        self.epoch: int | None = None
        """Which start of a process this is."""

    def forget(self) -> None:
        """After a rollback nothing remembered is sure."""
        self.seqs.clear()
        self.policies.clear()
        self.epoch = None


class BaseTx:
    """Holds what every named statement needs.

    All writes go through one cursor, which is cheaper than one for each; a read has its own, because its
    rows may be fetched later. A text that is written is a plain `str`: SQLite's adapter asks every
    subclass, an enum too, how it wants to be stored, and that takes as long as a small insert.
    """

    __slots__ = ("_run", "_sql", "_write", "caches", "new_id", "now_us", "place_of", "presets", "token")

    def __init__(
        self,
        connection: sqlite3.Connection,
        sql: Mapping[str, str],
        caches: Caches,
        now_us: int,
        sources: Sources,
    ) -> None:
        self._run = connection.execute
        self._write = connection.cursor().execute
        self._sql = sql
        self.caches = caches
        self.now_us = now_us
        self.new_id = sources.new_id
        self.token = sources.token
        self.place_of = sources.place_of
        """A path's canonical directory, or '' where it leads to none now."""
        self.presets = sources.presets

    def new_task_id(self) -> str:
        """What a dispatcher knows a task by: `t_` and 14 hexadecimal digits."""
        return f"t_{self.new_id().replace('-', '')[-TASK_DIGITS:]}"

    def _one(self, name: str, *values: Value) -> Row | None:
        return self._run(self._sql[name], values).fetchone()

    def _all(self, name: str, *values: Value) -> list[Row]:
        return self._run(self._sql[name], values).fetchall()

    def _find(self, name: str, make: Callable[[Row], T], *values: Value) -> T | None:
        """The first row that a statement gives, if it gives one."""
        row = self._one(name, *values)
        return None if row is None else make(row)

    def _known(self, name: str, what: str, make: Callable[[Row], T], *values: Value) -> T:
        """The row of what must be there; the last of the values is its key."""
        row = self._one(name, *values)
        if row is None:
            raise IllegalMove(f"{what} {values[-1]} is not in the store")
        return make(row)

    def _each(self, name: str, make: Callable[[Row], T], *values: Value) -> list[T]:
        return list(map(make, self._all(name, *values)))

    def _value(self, name: str, of: Callable[[int], T], *values: Value) -> T | None:
        """The value in the first column of the first row, if there is one."""
        row = self._one(name, *values)
        return None if row is None or row[0] is None else of(cast("int", row[0]))

    def _values(self, name: str, of: Callable[[int], T], *values: Value) -> list[T]:
        """The value in the first column of every row."""
        return [of(cast("int", row[0])) for row in self._all(name, *values)]

    def _number(self, name: str, *values: Value) -> int:
        """The number in the first column of the first row; 0 where there is none."""
        return self._value(name, int, *values) or 0

    def _text(self, name: str, *values: Value) -> str:
        """The text in the first column of the first row; empty where there is none."""
        return self._value(name, str, *values) or ""

    def _do(self, name: str, *values: Value) -> int:
        """Run a statement; how many rows it changed."""
        return self._write(self._sql[name], values).rowcount

    def _insert(self, name: str, *values: Value) -> int:
        """Run an insert; the new row's key."""
        key = self._write(self._sql[name], values).lastrowid
        assert key is not None  # noqa: S101 -- sqlite3 gives a rowid for every inserted row
        return key
