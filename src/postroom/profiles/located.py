"""Settings that know where they stand, so that every complaint names file, line and key.

Front matter (YAML), `postroom.toml` (TOML), the environment and the command line all become the
same tree of settings; one reader takes typed values out of it and collects what is wrong.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from postroom.errors import ConfigFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong. `line` counts from 1; 0 means that the place has no lines."""

    file: str
    line: int
    key: str
    message: str
    remedy: str = ""

    def describe(self) -> str:
        """`FILE:LINE: KEY: message (remedy)`, as compilers print it."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        middle = f"{self.key}: " if self.key else ""
        tail = f" ({self.remedy})" if self.remedy else ""
        return f"{place}: {middle}{self.message}{tail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value with its place: a table, a list, or else a scalar in `value`."""

    file: str
    line: int
    key: str
    value: object = None
    table: Mapping[str, "Setting"] | None = None
    items: tuple["Setting", ...] | None = None
    words: bool = False
    """The value is text that may stand for a number (environment, command line)."""

    def problem(self, message: str, remedy: str = "") -> Problem:
        """A problem at this place."""
        return Problem(file=self.file, line=self.line, key=self.key, message=message, remedy=remedy)

    def kind(self) -> str:
        """What the value is, in a person's words."""
        if self.table is not None:
            return "a table"
        if self.items is not None:
            return "a list"
        if self.value is None:
            return "nothing"
        return _KINDS.get(type(self.value), "a date or time")


_KINDS: Mapping[type, str] = {bool: "true or false", int: "a number", float: "a number", str: "text"}


def empty_table(file: str, key: str = "") -> Setting:
    """A table with nothing in it, for files that are not there."""
    return Setting(file=file, line=0, key=key, table={})


def merge(low: Setting, high: Setting) -> Setting:
    """Both trees as one; where both have a value, that of `high` counts and keeps its place."""
    if low.table is None or high.table is None:
        return high
    table = dict(low.table)
    for key, setting in high.table.items():
        table[key] = merge(table[key], setting) if key in table else setting
    return replace(high if high.table else low, table=table)


def near(word: str, known: Iterable[str]) -> str:
    """A remedy that names the nearest known word, else all of them."""
    names = sorted(known)
    close = nearest(word, names)
    if close is not None:
        return f"did you mean {close}?"
    return f"known here: {', '.join(names)}" if names else "nothing is known here"


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known word that is most like this one, if one is at least so like it (0 to 1)."""
    import difflib  # noqa: PLC0415 - slows every start, and is needed only to complain

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=likeness)), None)


def refuse(problems: Iterable[Problem], *, where_to_see_all: str = "") -> None:
    """Raise `ConfigFault` for the first problem, if there is one, and say how many more there are."""
    listed = list(problems)
    if not listed:
        return
    first, more = listed[0], len(listed) - 1
    rest = f"; {more} more" if more else ""
    if more and where_to_see_all:
        rest += f", see `{where_to_see_all}`"
    raise ConfigFault(replace(first, remedy="").describe() + rest, remedy=first.remedy)
