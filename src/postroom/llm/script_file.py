"""Script files: `scripts/NAME.yaml` in a team folder, read strictly.

A file is a list of rounds. Each has `text`, `calls` (a list of `tool: {arguments}`) or both, and may
have `think_s`, `when` (a text or a list of texts) and `otherwise` (a text, or a map of text and calls).
`tokens` and `cost_usd` are what it says that it took; else the tokens are estimated, and it costs nothing.
Arguments written as a text are sent as they stand.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Never, TypeVar, cast

import yaml

from postroom.errors import ConfigFault
from postroom.llm.port import Json
from postroom.llm.script import OTHERWISE, Script, ScriptedAnswer, ScriptedCall

_SAID = ("text", "calls")
_KEYS = (*_SAID, "think_s", "when", "otherwise", "tokens", "cost_usd")
_LONGEST_THOUGHT_S = 3600
_DOLLARS_MOST = 1000
_DEPTH_MAX = 64
"""Every walk over a tree is a recursion; a file that people write is not half as deep."""
_NODES_MAX = 100_000
_Parsed = TypeVar("_Parsed")


def load_script(path: Path) -> Script:
    """Read one script. Raises `ConfigFault` naming file, line and key of the first thing wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigFault(f"{path}: cannot be read: {error}") from error
    return _Reader(path).script(text)


def read_rounds(path: Path, node: yaml.Node) -> Script:
    """The rounds that stand in a file of other things. Raises `ConfigFault` as `load_script` does."""
    return _Reader(path).rounds(node)


class _BoundedLoader(yaml.SafeLoader):
    """Composes a tree that a walk comes to the end of, also where aliases stand for parts of it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._measures: dict[int, tuple[int, int]] = {}
        """Nodes and levels of every finished node with all below it, aliases written out."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = cast("object", self.peek_event())  # pyright: ignore[reportUnknownMemberType]
        mark = cast("yaml.error.Mark", getattr(event, "start_mark", None))
        is_alias = isinstance(event, yaml.AliasEvent)
        self._depth += 1
        node = super().compose_node(parent, index) if self._depth <= _DEPTH_MAX else None
        self._depth -= 1
        measure = (0, _DEPTH_MAX + 1)
        if node is not None and (not is_alias or id(node) in self._measures):
            measure = self._measure(node)
        if measure[1] > _DEPTH_MAX:
            problem = f"nested more than {_DEPTH_MAX} deep, or an alias within what it stands for"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        if measure[0] > _NODES_MAX:
            raise yaml.MarkedYAMLError(problem=f"more than {_NODES_MAX} values", problem_mark=mark)
        return node

    def _measure(self, node: yaml.Node) -> tuple[int, int]:
        if id(node) not in self._measures:
            below = [self._measures.get(id(each), (0, _DEPTH_MAX)) for each in _below(node)]
            self._measures[id(node)] = (
                1 + sum(nodes for nodes, _ in below), 1 + max((levels for _, levels in below), default=0)
            )  # fmt: skip
        return self._measures[id(node)]


def _below(node: yaml.Node) -> list[yaml.Node]:
    match node:
        case yaml.SequenceNode():
            return cast("list[yaml.Node]", node.value)
        case yaml.MappingNode():
            pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
            return [each for pair in pairs for each in pair]
        case _:
            return []


def compose(path: Path, text: str, *, remedy: str) -> yaml.Node:
    """The node tree of a YAML text; only nodes know their lines.

    Raises `ConfigFault` that names file and line when it is not YAML, and with `remedy` when it is empty.
    """
    try:
        root = yaml.compose(text, Loader=_BoundedLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if isinstance(mark, yaml.Mark) else 1
        problem = str(getattr(error, "problem", None) or error)
        raise ConfigFault(f"{path}:{line}: not YAML: {problem}") from error
    if root is None:
        raise ConfigFault(f"{path}:1: empty", remedy=remedy)
    return root


def plain(node: yaml.Node) -> Json:
    """The value of a node. Raises `ValueError` for what JSON cannot hold: dates, sets, infinity."""
    try:
        value = cast("object", yaml.SafeLoader("").construct_document(node))  # pyright: ignore[reportUnknownMemberType]
        json.dumps(value, allow_nan=False)
    except (yaml.YAMLError, TypeError) as error:
        raise ValueError(str(error)) from error
    return cast("Json", value)


class _Reader:
    """Walks the node tree instead of the values, because only nodes know their lines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def script(self, text: str) -> Script:
        return self.rounds(compose(self._path, text, remedy="a script is a list of rounds"))

    def rounds(self, node: yaml.Node) -> Script:
        return Script(tuple(self._list(node, self._round, "a script is a list of rounds")))

    def _round(self, node: yaml.Node) -> ScriptedAnswer:
        fields = self._known(node, "a round is a map of text, calls or both", _KEYS)
        if not fields.keys() & set(_SAID):
            self._fail(node, "a round without text and calls", "give it one of the two")
        otherwise, otherwise_calls = self._otherwise(fields.get("otherwise"))
        return ScriptedAnswer(
            text=self._text(fields["text"]) if "text" in fields else "",
            calls=self._calls(fields.get("calls")),
            think_s=self._seconds(fields["think_s"]) if "think_s" in fields else 0.0,
            when=self._when(fields.get("when")),
            otherwise=otherwise,
            otherwise_calls=otherwise_calls,
            tokens=self._tokens(fields["tokens"]) if "tokens" in fields else None,
            cost_micros=self._micros(fields["cost_usd"]) if "cost_usd" in fields else 0,
        )

    def _otherwise(self, node: yaml.Node | None) -> tuple[str, tuple[ScriptedCall, ...]]:
        if node is None:
            return OTHERWISE, ()
        if not isinstance(node, yaml.MappingNode):
            return self._text(node), ()
        fields = self._known(node, "otherwise is a text, or a map of text and calls", _SAID)
        return self._text(fields["text"]) if "text" in fields else "", self._calls(fields.get("calls"))

    def _calls(self, node: yaml.Node | None) -> tuple[ScriptedCall, ...]:
        if node is None:
            return ()
        return tuple(self._list(node, self._call, "calls is a list of `tool: {arguments}`"))

    def _call(self, node: yaml.Node) -> ScriptedCall:
        fields = self._fields(node, "a call is `tool: {arguments}`")
        if len(fields) != 1:
            self._fail(node, f"a call has one key, the tool; found {len(fields)}", "one map a call")
        ((tool, arguments),) = fields.items()
        value = self._value(arguments)
        if not isinstance(value, dict | str):
            problem = f"the arguments of {tool!r} are neither a map nor a text"
            self._fail(arguments, problem, "write `{}` for none")
        return ScriptedCall(tool=tool, arguments=value)

    def _when(self, node: yaml.Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        if isinstance(node, yaml.SequenceNode):
            return tuple(self._list(node, self._text, "when is a text or a list of texts"))
        return (self._text(node),)

    def _text(self, node: yaml.Node) -> str:
        value = self._value(node)
        if not isinstance(value, str):
            self._fail(node, f"expected a text, found {value!r}", "put it in quotes")
        return value

    def _seconds(self, node: yaml.Node) -> float:
        value = self._value(node)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= _LONGEST_THOUGHT_S
        ):
            self._fail(node, f"think_s is not a number of seconds: {value!r}", f"0 to {_LONGEST_THOUGHT_S}")
        return float(value)

    def _tokens(self, node: yaml.Node) -> int:
        value = self._value(node)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self._fail(node, f"tokens is no number of tokens: {value!r}", "a whole number from 0 on")
        return value

    def _micros(self, node: yaml.Node) -> int:
        value = self._value(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _DOLLARS_MOST:
            self._fail(node, f"cost_usd is no amount: {value!r}", f"0 to {_DOLLARS_MOST}")
        return round(value * 1_000_000)

    def _list(self, node: yaml.Node, each: Callable[[yaml.Node], _Parsed], rule: str) -> list[_Parsed]:
        if not isinstance(node, yaml.SequenceNode):
            self._fail(node, "not a list", rule)
        return [each(entry) for entry in cast("list[yaml.Node]", node.value)]

    def _known(self, node: yaml.Node, rule: str, known: Sequence[str]) -> dict[str, yaml.Node]:
        fields = self._fields(node, rule)
        for key in fields:
            if key not in known:
                self._fail(fields[key], f"unknown key {key!r}", f"known: {', '.join(known)}")
        return fields

    def _fields(self, node: yaml.Node, rule: str) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            self._fail(node, "not a map", rule)
        fields: dict[str, yaml.Node] = {}
        for key_node, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            key = self._text(key_node)
            if key in fields:
                self._fail(key_node, f"key {key!r} twice", "keep one")
            fields[key] = value
        return fields

    def _value(self, node: yaml.Node) -> Json:
        try:
            return plain(node)
        except ValueError as error:
            self._fail(node, f"no JSON value: {error}", "put it in quotes")

    def _fail(self, node: yaml.Node, problem: str, remedy: str) -> Never:
        raise ConfigFault(f"{self._path}:{node.start_mark.line + 1}: {problem}", remedy=remedy)
