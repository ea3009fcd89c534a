"""The walls: a file past 400 lines is two nouns, a function past 40 is two decisions."""

import ast

from tests.house.tree import functions, lines, place, python_files

FILE_LINES = 400
FUNCTION_LINES = 40


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    if ast.get_docstring(node) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)


def test_no_file_passes_the_wall() -> None:
    long = [f"{place(path)}: {len(lines(path))}" for path in python_files() if len(lines(path)) > FILE_LINES]

    assert not long, f"files past {FILE_LINES} lines: {long}"


def test_no_function_passes_the_wall() -> None:
    long = [
        f"{place(path, node.lineno)} {node.name}: {_length(node)}"
        for path in python_files()
        for node in functions(path)
        if _length(node) > FUNCTION_LINES
    ]

    assert not long, f"functions past {FUNCTION_LINES} lines: {long}"
