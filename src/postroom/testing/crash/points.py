"""Every place where the process can be killed, read from the code: nobody keeps a list by hand."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from postroom.faults import POINTS

PACKAGE = Path(str(files("postroom")))
_WRITERS = {"store.write": 0, "self._write": 0, "self._turn_write": 0, "store.write_then": 1}
"""Who hands a function to the writer, and as which argument."""


def every_point() -> list[str]:
    """The declared points, and two for every transaction: before and after its commit."""
    sides = ("before", "after")
    return [*POINTS, *(f"{name}.{side}" for name in transactions() for side in sides)]


@cache
def transactions() -> list[str]:
    """The names of the plain functions that anything in the package hands to the writer."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))]
    defined = {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}
    handed = {name for tree in trees for name in _handed(tree)}
    return sorted(handed & defined)


def _handed(tree: ast.Module) -> Iterator[str]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    for call in calls:
        place = _WRITERS.get(_last_words(call.func), len(call.args))
        given = call.args[place] if place < len(call.args) else None
        if isinstance(given, ast.Name | ast.Attribute):
            yield given.id if isinstance(given, ast.Name) else given.attr


def _last_words(called: ast.expr) -> str:
    """`store.write` of `self.store.write`: whose method it is matters, not who holds the owner."""
    return ".".join(ast.unparse(called).split(".")[-2:])
