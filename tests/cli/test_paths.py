"""`postroom fork` and `postroom revert`: beside a process that runs the store and without one."""

from pathlib import Path
from typing import cast

from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli


def test_a_person_goes_back_and_says_it_in_another_way(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    would = cli.run("revert", root, "--to", "0", "--dry-run")
    untouched = cli.run("show", root).out
    done = cli.run("revert", root, "--to", "0", "--json").document
    cli.run("send", root, "hello again", "--run")

    assert would.code == 0
    assert "would go back to 0" in would.out
    assert "hello" in untouched
    assert done["running"] is False
    assert rows(cli.run("show", root, "--json").document["history"])[0]["text"] == "hello again"
    assert cli.run("doctor").code == 0


def test_the_places_are_listed_and_can_be_typed(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    for command in ("fork", "revert"):
        listed = rows(cli.run(command, root, "--dry-run", "--json").document["places"])
        assert listed[0]["text"] == "hello"
        for place in listed:
            for name in ("place", "turn_id"):
                assert cli.run("revert", root, "--to", str(place[name]), "--dry-run").code == 0
    assert "PLACE" in cli.run("revert", root, "--dry-run").out


def test_a_fork_is_a_conversation_of_its_own(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    fork = cli.run("fork", root, "--to", "1", "--json").document
    said = cli.run("fork", root)
    agents = rows(cli.run("ps", "--json").document["agents"])
    shown = cli.run("show", str(fork["session_id"]), "--json").document

    assert (fork["place"], fork["nodes_shared"]) == ("1", 1)
    assert said.out.startswith("forked at ")
    assert [a["title"] for a in agents if a["depth"] == 0] == ["hello", "hello (fork)", "hello (fork)"]
    assert [item["text"] for item in rows(shown["history"])] == ["hello"]


def test_a_part_that_was_taken_back_is_for_a_fork(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)
    sealed = str(cli.run("revert", root, "--to", "0", "--json").document["sealed_id"])

    back = cli.run("revert", root, "--to", f"{sealed}:1", "--dry-run")
    beside = cli.run("fork", root, "--to", f"{sealed}:1")

    assert back.fails(5, "not_found")
    assert "only a fork goes to a part that was taken back" in back.err
    assert beside.code == 0


def test_what_is_wrong_is_said_in_one_line(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    assert cli.run("revert", root).fails(2, "usage")
    assert cli.run("fork", root, "--to", "1", "--dry-run").fails(2, "usage")
    for command in ("fork", "revert"):
        assert "--dry-run" in cli.run(command, root, "--to", "999").err
        assert cli.run(command, "nobody", "--to", "1").err.startswith("not_found")


def _root(cli: Cli) -> str:
    return cast("str", rows(cli.run("ps", "--json").document["agents"])[0]["session_id"])
