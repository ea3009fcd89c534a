"""Never catch what you cannot answer: a broad except stands at a task's outermost frame and says so."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import SRC, calls, lines, parsed, place, python_files

BROAD = {"Exception", "BaseException"}
MARKER = "# outermost frame"


def _names(node: ast.expr | None) -> set[str]:
    if node is None:
        return BROAD
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Cleaning up and raising again catches nothing."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _broad_lines(path: Path) -> Iterator[int]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ExceptHandler) and _names(node.type) & BROAD and not _goes_on(node):
            yield node.lineno
    for name, call in calls(path):
        if name.endswith("suppress") and any(_names(argument) & BROAD for argument in call.args):
            yield call.lineno


def test_a_broad_except_is_marked_as_an_outermost_frame() -> None:
    unmarked = [
        place(path, line)
        for path in python_files(SRC)
        for line in _broad_lines(path)
        if MARKER not in lines(path)[line - 1]
    ]

    assert not unmarked, f"broad except without '{MARKER}': {unmarked}"
