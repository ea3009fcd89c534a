"""A YAML file as plain values that still know their lines, so that every complaint names one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Never, TypeAlias, cast

import yaml
from pydantic import ValidationError

from postroom.domain.plain import Json
from postroom.errors import ConfigFault
from postroom.llm.script_file import compose, plain

Place: TypeAlias = tuple[str | int, ...]
"""Keys and numbers that lead to a value: `("steps", 3, "prompt")`."""

_UNKNOWN: Final = re.compile(r"unknown key `([^`]*)`")
"""What `parts.part` says of a key: the line of the key itself is wanted, not of the map around it."""
_WORDS: Final = {
    "missing": "is missing",
    "none_required": "takes nothing: leave it empty",
    "string_type": "must be a text: put it in quotes",
    "list_type": "must be a list",
    "dict_type": "must be a map",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "model_type": "must be a map",
    "float_type": "must be a number",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
}
"""Pydantic's kinds of errors in words for whoever writes a file."""


@dataclass(slots=True)
class Document:
    """One file, read. `value` holds what JSON can hold and nothing else."""

    path: Path
    value: Json = None
    nodes: dict[Place, yaml.Node] = field(default_factory=dict[Place, yaml.Node])

    def line(self, place: Sequence[str | int]) -> int:
        """The line of a value, or of the nearest one around it that the file has."""
        found: Place = ()
        for part in place:
            if (*found, part) in self.nodes:
                found = (*found, part)
        return self.nodes[found].start_mark.line + 1 if found in self.nodes else 1

    def fault(self, place: Sequence[str | int], problem: str, remedy: str = "") -> ConfigFault:
        """A complaint about a value."""
        return ConfigFault(f"{self.path}:{self.line(place)}: {problem}", remedy=remedy)

    def explain(self, error: ValidationError) -> ConfigFault:
        """The first thing that is wrong, with its line and what would be right."""
        first = error.errors(include_url=False)[0]
        place = first["loc"]
        named = ".".join(str(part) for part in place)
        said = _WORDS.get(first["type"], first["msg"].removeprefix("Value error, "))
        if (unknown := _UNKNOWN.match(said)) is not None:
            return self.fault((*place, unknown[1]), said)
        return self.fault(place, f"{named}: {said}" if named else said)


def read_document(path: Path) -> Document:
    """Read a file. Raises `ConfigFault` when it cannot be read or is not YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigFault(f"{path}: cannot be read: {why}", remedy="name a scenario file, in YAML") from error
    document = Document(path)
    root = compose(path, text, remedy="see docs/how-to/scenario-files.md")
    document.value = _Reader(document).value(root, ())
    return document


class _Reader:
    """Walks the node tree, because only nodes know their lines."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def value(self, node: yaml.Node, place: Place) -> Json:
        """A node as a plain value; every node on the way is remembered by its place."""
        self._document.nodes[place] = node
        if isinstance(node, yaml.MappingNode):
            return self._map(node, place)
        if isinstance(node, yaml.SequenceNode):
            entries = cast("list[yaml.Node]", node.value)
            return [self.value(entry, (*place, number)) for number, entry in enumerate(entries)]
        return self._scalar(node, place)

    def _map(self, node: yaml.MappingNode, place: Place) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key_node, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            self._document.nodes[place] = key_node
            key = self._scalar(key_node, place)
            if not isinstance(key, str):
                self._fail(place, f"the key {key!r} is no text", "put it in quotes")
            if key in found:
                self._fail(place, f"the key {key!r} is there twice", "keep one")
            found[key] = self.value(value, (*place, key))
            self._document.nodes[*place, key] = key_node if isinstance(value, yaml.ScalarNode) else value
        self._document.nodes[place] = node
        return found

    def _scalar(self, node: yaml.Node, place: Place) -> Json:
        try:
            return plain(node)
        except ValueError as error:
            self._fail(place, f"no plain value: {error}", "put it in quotes")

    def _fail(self, place: Place, problem: str, remedy: str) -> Never:
        raise self._document.fault(place, problem, remedy)
