"""Starting is quick because nothing slow is loaded; how quick, `make bench` measures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import postroom
from tests.cli.cli import THINKS, Cli, write_team

SLOW = {
    "asyncio", "bz2", "lzma", "logging", "platformdirs", "pydantic", "pydantic_ai", "rich", "ssl", "textual",
    "urllib.request", "yaml", "postroom.domain.policy", "postroom.rules.markers",
}  # fmt: skip
"""What no command loads that only looks at who runs."""
OF_A_STORE = {"dataclasses", "inspect", "sqlite3", "postroom.observe.glance"}
"""What a store is read with, where no process answers for it."""
OF_A_DOOR = {"socket", "postroom.daemon.client"}
"""What a process that runs a store is asked with."""
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


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--help"], OF_A_STORE | OF_A_DOOR),
        (["ps", "--help"], OF_A_STORE | OF_A_DOOR),
        (["status"], OF_A_STORE | OF_A_DOOR),
        (["version"], OF_A_DOOR),
        (["ps"], OF_A_DOOR),
    ],
)
def test_a_command_that_only_looks_loads_nothing_slow(
    cli: Cli, team: Path, arguments: list[str], more: set[str]
) -> None:
    cli.run("run", "--team", team, "hello")

    assert not loaded(cli, *arguments) & (SLOW | more)


def test_a_command_that_asks_the_process_of_a_store_loads_nothing_to_read_it_with(
    cli: Cli, tmp_path: Path
) -> None:
    with cli.runner(write_team(tmp_path / "team", {"ann": THINKS})):
        for command in ("ps", "status"):
            assert not loaded(cli, command) & (SLOW | OF_A_STORE)


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
