"""Splits a profile into front matter and body, and reads the front matter into settings.

The YAML is composed, not loaded: nodes keep their marks, a key given twice is seen, and no tag can
construct anything. Anchors and aliases are refused; a profile has no use for them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from postroom.profiles.located import Problem, Setting
from postroom.profiles.source import read_text

FENCE = "---"
_DEPTH_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A Markdown file with front matter. `body_line` is the line on which the body begins."""

    settings: Setting
    body: str
    body_line: int


def read_document(path: Path, shown: str) -> Document | tuple[Problem, ...]:
    """The document, else everything that keeps it from being read."""
    text = read_text(path, shown)
    if isinstance(text, Problem):
        return (text,)
    lines = text.split("\n")
    closing = _closing_line(lines)
    if closing is None:
        return (_no_front_matter(shown, lines),)
    problems: list[Problem] = []
    settings = read_yaml("\n".join(lines[1:closing]), shown, problems, lines_before=1)
    if settings is None or problems:
        return tuple(problems)
    body = "\n".join(lines[closing + 1 :])
    return Document(settings=settings, body=body, body_line=closing + 2)


def read_yaml(text: str, shown: str, problems: list[Problem], *, lines_before: int = 0) -> Setting | None:
    """YAML text whose top level is a table, as settings; what is wrong goes to `problems`."""
    try:
        node = _compose(text)
        reading = _Reading(shown, lines_before, problems)
        return reading.top(node)
    except yaml.MarkedYAMLError as cause:
        problems.append(_syntax_problem(cause, shown, lines_before))
    except yaml.YAMLError as cause:
        problems.append(_problem(shown, 0, f"is not YAML: {cause}"))
    except RecursionError:
        problems.append(_problem(shown, lines_before + 1, "is nested too deeply"))
    return None


def _closing_line(lines: list[str]) -> int | None:
    if lines[0].rstrip() != FENCE:
        return None
    return next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)


def _no_front_matter(shown: str, lines: list[str]) -> Problem:
    if lines[0].rstrip() == FENCE:
        return _problem(shown, 1, "the front matter is not closed", "end it with a line `---`")
    return _problem(shown, 1, "has no front matter", "begin with a line `---`, keys, a line `---`")


class _PlainLoader(yaml.SafeLoader):
    """Composes nodes without aliases, so that a small file stays a small tree."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = cast("object", self.peek_event())  # pyright: ignore[reportUnknownMemberType]
            mark = cast("yaml.error.Mark", getattr(event, "start_mark", None))
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)


def _compose(text: str) -> yaml.Node | None:
    loader = _PlainLoader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _syntax_problem(cause: yaml.MarkedYAMLError, shown: str, lines_before: int) -> Problem:
    mark = cause.problem_mark or cause.context_mark
    line = lines_before + (mark.line + 1 if mark else 1)
    return _problem(
        shown, line, f"is not YAML: {cause.problem}", 'texts with `*`, `:` or `#` need quotes: "*"'
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """Turns nodes into settings of one file."""

    shown: str
    lines_before: int
    problems: list[Problem]

    def top(self, node: yaml.Node | None) -> Setting | None:
        if node is None:
            return Setting(file=self.shown, line=1, key="", table={})
        if not isinstance(node, yaml.MappingNode):
            self._complain(node, "", "must be keys with values", "write `name: value`, one a line")
            return None
        return self._setting(node, "", 0)

    def _setting(self, node: yaml.Node, key: str, depth: int) -> Setting:
        line = self._line(node)
        if depth > _DEPTH_MAX:
            self._complain(node, key, "is nested too deeply")
            return Setting(file=self.shown, line=line, key=key)
        if isinstance(node, yaml.MappingNode):
            table = dict(self._entries(node, key, depth))
            return Setting(file=self.shown, line=line, key=key, table=table)
        if isinstance(node, yaml.SequenceNode):
            items = tuple(self._setting(item, key, depth + 1) for item in node.value)
            return Setting(file=self.shown, line=line, key=key, items=items)
        return Setting(file=self.shown, line=line, key=key, value=self._scalar(node, key))

    def _entries(self, node: yaml.MappingNode, key: str, depth: int) -> Iterator[tuple[str, Setting]]:
        seen: set[str] = set()
        for name_node, value_node in node.value:
            name = self._scalar(name_node, key)
            if not isinstance(name, str):
                self._complain(name_node, key, "a key must be text", "put it in quotes")
                continue
            full = f"{key}.{name}" if key else name
            if name in seen:
                self._complain(name_node, full, "is given twice", "keep one of them")
            seen.add(name)
            yield name, self._at_key(self._setting(value_node, full, depth + 1), name_node)

    def _at_key(self, setting: Setting, name_node: yaml.Node) -> Setting:
        """A table or list stands where its key stands, not where its first entry does."""
        if setting.table is None and setting.items is None:
            return setting
        return Setting(
            file=setting.file,
            line=self._line(name_node),
            key=setting.key,
            table=setting.table,
            items=setting.items,
        )

    def _scalar(self, node: yaml.Node, key: str) -> object:
        if not isinstance(node, yaml.ScalarNode):
            return None
        try:
            return cast("object", yaml.SafeLoader("").construct_object(node))  # pyright: ignore[reportUnknownMemberType]
        except (yaml.YAMLError, ValueError):
            # An unknown tag, or text that looks like a date and is none ("2026-13-45").
            self._complain(node, key, f"`{node.value}` cannot be read", "put it in quotes")
            return None

    def _line(self, node: yaml.Node) -> int:
        return node.start_mark.line + 1 + self.lines_before

    def _complain(self, node: yaml.Node, key: str, message: str, remedy: str = "") -> None:
        self.problems.append(
            Problem(file=self.shown, line=self._line(node), key=key, message=message, remedy=remedy)
        )


def _problem(shown: str, line: int, message: str, remedy: str = "") -> Problem:
    return Problem(file=shown, line=line, key="", message=message, remedy=remedy)
