"""Starting is quick because nothing slow is loaded; how quick, `make bench` measures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import postroom
from tests.cli.cli import Cli

SLOW = {
    "asyncio",
    "logging",
    "pydantic",
    "pydantic_ai",
    "rich",
    "yaml",
    "platformdirs",
    "ssl",
    "urllib.request",
}
PROGRAM = """
import json, sys
from postroom.frontends.cli import main
main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(cli: Cli, *arguments: str) -> set[str]:
    """What a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=cli.env, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["version"], ["ps"], ["ps", "--help"]])
def test_a_command_that_only_looks_loads_nothing_slow(cli: Cli, team: Path, arguments: list[str]) -> None:
    cli.run("run", "--team", team, "hello")

    assert not loaded(cli, *arguments) & SLOW


def test_the_package_loads_nothing_until_it_is_asked() -> None:
    program = "import sys, postroom; print(*(m for m in sys.modules if m.startswith('postroom')))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["postroom"]


@pytest.mark.parametrize("name", postroom.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(postroom, name) is not None


def test_a_name_that_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="fly"):
        postroom.fly  # noqa: B018 -- asking is the test  # pyright: ignore[reportAttributeAccessIssue]
