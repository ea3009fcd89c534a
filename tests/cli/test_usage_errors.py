"""A command line that is wrong says where the right words stand."""

from pathlib import Path

import pytest

from postroom.frontends.cli.commands import COMMANDS, Command
from postroom.frontends.cli.parser import Usage, parse
from tests.cli.cli import Cli


@pytest.mark.parametrize("command", COMMANDS, ids=[command.name for command in COMMANDS])
def test_a_usage_error_points_to_the_help_of_its_own_command(command: Command) -> None:
    needed = ["1" for one in command.arguments if not one.name.startswith("-") and not one.choices]
    for wrong in ([command.name, "--fly"], ["--fly", command.name], [command.name, *needed, "--fly"]):
        with pytest.raises(Usage) as caught:
            parse(wrong)

        assert caught.value.remedy == f"see `postroom {command.name} --help`"


@pytest.mark.parametrize("wrong", [["fly"], ["--fly"], ["--store"]])
def test_a_usage_error_without_a_command_points_to_the_list_of_commands(wrong: list[str]) -> None:
    with pytest.raises(Usage) as caught:
        parse(wrong)

    assert caught.value.remedy == "see `postroom --help`"


@pytest.mark.parametrize(
    "words",
    [
        ("ps", "--store", "{}"), ("backup", "{}"), ("export", "--output", "{}"),
        ("config", "set", "store", "{}"),
    ],
)  # fmt: skip
def test_the_home_of_nobody_is_no_path(cli: Cli, team: Path, words: tuple[str, ...]) -> None:
    cli.run("run", "--team", team, "hello")

    ended = cli.run(*(word.format("~nobody-of-this-name/x") for word in words))

    assert "crashed" not in ended.err
    assert ended.code != 0
