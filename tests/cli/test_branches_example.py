"""The example of a team on branches: a newcomer runs it without a key, and looks at what came of it."""

import shutil
from pathlib import Path

import pytest

from tests.cli.cli import Cli

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "branches"


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "team"))


def test_the_team_is_in_order_and_plans_the_party(cli: Cli, team: Path) -> None:
    checked = cli.run("check", team)
    ran = cli.run("run", "--team", team, "Plan the street party.")

    assert (checked.code, checked.out) == (0, ""), checked.err
    assert ran.code == 0, ran.err
    assert ran.out == "Forty buns and six tables are ready, and the tables may stand in the rain.\n"


def test_what_the_page_says_to_look_at_is_there_afterwards(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "Plan the street party.")

    assert {"buns", "tables"} <= set(cli.run("agents", "--archived").out.split())
    assert cli.run("tasks").out.count(" completed ") == 2
    assert cli.run("todo").out.startswith("completed:\n")
    assert "May they stand in the rain?" in cli.run("show", "tables").out


def test_the_scenario_file_of_the_example_holds(cli: Cli, team: Path) -> None:
    played = cli.run("scenario", "run", team / "scenario.yaml")

    assert played.code == 0, played.out + played.err
