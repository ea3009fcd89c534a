"""Names that say nothing are not given: they collect what nobody placed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import ROOT, parsed, place, python_files

SAYS_NOTHING = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def _names(path: Path) -> Iterator[tuple[str, int]]:
    yield from ((part, 1) for part in path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno


def test_no_file_class_or_function_has_a_name_that_says_nothing() -> None:
    empty = [
        f"{place(path, line)} {name}"
        for path in python_files()
        for name, line in _names(path)
        if _words(name) & SAYS_NOTHING
    ]

    assert not empty, f"names that say nothing: {empty}"
