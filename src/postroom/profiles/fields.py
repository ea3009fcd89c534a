"""Takes typed values out of a table of settings and collects what is wrong, instead of stopping.

A key that is asked for is known; `close` complains about every key that nobody asked for.
"""

from pathlib import Path

from postroom.errors import ConfigFault
from postroom.profiles.located import Problem, Setting, near
from postroom.profiles.places import path_of
from postroom.rules.text import is_blank, is_encodable

_TRUTH = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


class Fields:
    """The keys of one table. A wrong value is remembered as a problem and read as `None`."""

    def __init__(self, table: Setting, problems: list[Problem], *, kind: str = "key") -> None:
        self.table = table
        self._kind = kind
        self._problems = problems
        self._asked: set[str] = set()

    def complain(self, setting: Setting, message: str, remedy: str = "") -> None:
        """Remember a problem at the place of a setting."""
        self._problems.append(setting.problem(message, remedy))

    def setting(self, key: str) -> Setting | None:
        """The raw setting, if it is there."""
        self._asked.add(key)
        return (self.table.table or {}).get(key)

    def require(self, key: str, remedy: str) -> None:
        """Complain at the table itself when the key is not there."""
        if self.setting(key) is None:
            self.complain(self.table, f"`{key}` is missing", remedy)

    def text(self, key: str) -> str | None:
        """Text that is not blank and that every model can be sent."""
        found = self.setting(key)
        return None if found is None else self._text_of(found)

    def path(self, text: str, setting: Setting) -> Path | None:
        """The path that a text means: in a file from there on, typed from where one stands."""
        try:
            path = path_of(text)
        except ConfigFault as fault:
            self.complain(setting, fault.message, fault.remedy)
            return None
        return (path if setting.words else Path(setting.file).parent / path).absolute()

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        found = self.setting(key)
        if found is None:
            return None
        if found.items is None:
            self._expected(found, "a list of names", "write [one, two]")
            return None
        texts = (self._text_of(item) for item in found.items)
        return tuple(text for text in texts if text is not None)

    def integer(self, key: str, *, least: int, most: int) -> int | None:
        """A whole number in a range, both ends included."""
        found = self.setting(key)
        if found is None:
            return None
        value = _as_integer(found)
        if value is None:
            self._expected(found, "a whole number")
            return None
        return value if self._in_range(found, value, least, most) else None

    def number(self, key: str, *, least: float, most: float) -> float | None:
        """A number in a range, both ends included."""
        found = self.setting(key)
        if found is None:
            return None
        value = _as_number(found)
        if value is None:
            self._expected(found, "a number")
            return None
        return value if self._in_range(found, value, least, most) else None

    def truth(self, key: str) -> bool | None:
        """`true` or `false`."""
        found = self.setting(key)
        if found is None:
            return None
        if isinstance(found.value, bool):
            return found.value
        if found.words and str(found.value).lower() in _TRUTH:
            return _TRUTH[str(found.value).lower()]
        self._expected(found, "true or false")
        return None

    def fields(self, key: str, *, kind: str = "key") -> "Fields":
        """The keys of a table inside this one; an empty table when it is not there."""
        found = self.setting(key)
        if found is not None and found.table is None:
            self._expected(found, "a table")
            found = None
        if found is None:
            found = Setting(file=self.table.file, line=self.table.line, key=key, table={})
        return Fields(found, self._problems, kind=kind)

    def close(self) -> None:
        """Complain about each key that nobody asked for, with the nearest known one."""
        for key, setting in (self.table.table or {}).items():
            if key not in self._asked:
                self.complain(setting, f"unknown {self._kind} `{key}`", near(key, self._asked))

    def _text_of(self, found: Setting) -> str | None:
        if not isinstance(found.value, str):
            self._expected(found, "text", "put it in quotes if it is meant as text")
            return None
        if is_blank(found.value):
            self.complain(found, "is blank")
            return None
        if not is_encodable(found.value):
            self.complain(found, "holds a character that no model can be sent (a lone surrogate or U+0000)")
            return None
        return found.value

    def _in_range(self, found: Setting, value: float, least: float, most: float) -> bool:
        inside = least <= value <= most
        if not inside:
            self.complain(found, f"{value} is out of range", f"from {least} to {most}")
        return inside

    def _expected(self, found: Setting, wanted: str, remedy: str = "") -> None:
        self.complain(found, f"must be {wanted}, not {found.kind()}", remedy)


def _as_integer(found: Setting) -> int | None:
    value = found.value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not found.words:
        return None
    try:
        return int(str(value))
    except ValueError:
        return None


def _as_number(found: Setting) -> float | None:
    value = found.value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if not found.words:
        return None
    try:
        return float(str(value))
    except ValueError:
        return None
