"""A command line that is wrong says where the right words stand."""

import pytest

from postroom.frontends.cli.commands import COMMANDS, Command
from postroom.frontends.cli.parser import Usage, parse


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
