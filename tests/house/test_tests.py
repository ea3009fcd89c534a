"""Tests never wait for time, never patch our own code and are never switched off."""

import ast
import re
from pathlib import Path

from tests.house.tree import TESTS, calls, parsed, place, python_files

SLEEPS = {"time.sleep", "asyncio.sleep", "sleep"}
PATCHES = {"monkeypatch.setattr", "monkeypatch.delattr", "monkeypatch.setitem", "mocker.patch"}
OFF = re.compile(r"(^|\.)mark\.(skip|skipif|xfail)$|^pytest\.(skip|xfail)$")


def _is_zero(call: ast.Call) -> bool:
    """`asyncio.sleep(0)` lets others run; it does not wait."""
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and first.value == 0


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_no_test_sleeps() -> None:
    sleeping = [
        place(path, call.lineno)
        for path in python_files(TESTS)
        for name, call in calls(path)
        if name in SLEEPS and not _is_zero(call)
    ]

    assert not sleeping, f"move the clock or wait for a sign instead: {sleeping}"


def test_no_test_patches_or_mocks() -> None:
    patching = [
        place(path, call.lineno)
        for path in python_files(TESTS)
        for name, call in calls(path)
        if name in PATCHES
    ] + [place(path) for path in python_files(TESTS) if "unittest.mock" in _imports(path)]

    assert not patching, f"use the real thing or a fake from postroom.testing: {patching}"


def test_no_test_is_switched_off() -> None:
    off = [
        place(path, node.lineno)
        for path in python_files(TESTS)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and OFF.search(ast.unparse(node))
    ]

    assert not off, f"a test runs or is deleted: {off}"
