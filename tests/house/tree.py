"""The files of this tree, as the house tests see them.

It walks the folder instead of asking git, so that the tests also run in an unpacked archive.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "postroom"
TESTS = ROOT / "tests"
DOCS = ROOT / "docs"

_GENERATED = {"__pycache__", "node_modules", "build", "dist"}
_OURS_THOUGH_HIDDEN = {
    ".ci",
    ".editorconfig",
    ".gitignore",
    ".importlinter",
    ".pre-commit-config.yaml",
}


def _is_ours(part: str) -> bool:
    if part.startswith("."):
        return part in _OURS_THOUGH_HIDDEN
    return part not in _GENERATED and not part.endswith(".egg-info")


def _built() -> frozenset[Path]:
    """What is made here and not kept: the places that `.gitignore` names from the root on."""
    named = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return frozenset(ROOT / line.strip("/") for line in named if line.startswith("/"))


_BUILT = _built()


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if not _is_ours(path.name) or path in _BUILT:
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


@cache
def files(folder: Path = ROOT) -> tuple[Path, ...]:
    """Every file below `folder` that belongs to the project."""
    return tuple(_walk(folder)) if folder.exists() else ()


def python_files(*folders: Path) -> list[Path]:
    """The Python files below the folders; without any, of the whole project."""
    return [path for folder in folders or (ROOT,) for path in files(folder) if path.suffix == ".py"]


def text_files() -> list[Path]:
    """Every file that is text; what is not UTF-8 is no text."""
    return [path for path in files() if text(path)]


@cache
def text(path: Path) -> str:
    """The file's text; empty when it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def lines(path: Path) -> tuple[str, ...]:
    """The file's lines, without their ends."""
    return tuple(text(path).splitlines())


@cache
def parsed(path: Path) -> ast.Module:
    """The file as a syntax tree."""
    return ast.parse(text(path), filename=str(path))


def place(path: Path, line: int | None = None) -> str:
    """`src/postroom/ids.py:12`, for messages."""
    shown = path.relative_to(ROOT).as_posix()
    return shown if line is None else f"{shown}:{line}"


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, methods and inner functions included."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a file with the dotted name that is called; other callees are left out."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and (name := _dotted(node.func)):
            yield name, node


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := _dotted(node.value)):
        return f"{owner}.{node.attr}"
    return ""
