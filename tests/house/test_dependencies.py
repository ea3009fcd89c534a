"""What the package imports is what it declares: nothing borrowed from a dependency, nothing idle."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import ROOT, SRC, parsed, python_files

# Where the name of a distribution is not the name of its module.
MODULES = {
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry", "opentelemetry-sdk": "opentelemetry",
    "pydantic-ai-slim": "pydantic_ai", "pyyaml": "yaml",
}  # fmt: skip


def _project() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for listed in project["optional-dependencies"].values() for name in listed]
    return {"base": project["dependencies"], "extras": extras}


def _module(requirement: str) -> str:
    name, _, extra = re.split(r"[<>=!~;]", requirement)[0].partition("[")
    sdk = extra.rstrip("]")
    return sdk or MODULES.get(name, name.replace("-", "_"))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _foreign_imports() -> set[str]:
    named = {name for path in python_files(SRC) for name in _imported(path)}
    return {name for name in named if name not in sys.stdlib_module_names} - {"postroom"}


def test_everything_imported_is_declared() -> None:
    declared = {_module(name) for names in _project().values() for name in names}

    assert not _foreign_imports() - declared


def test_every_base_dependency_is_imported() -> None:
    idle = {_module(name) for name in _project()["base"]} - _foreign_imports()

    assert not idle
