"""`postroom archive`, `rename` and `delete`: beside a process that runs the store and without one."""

from pathlib import Path
from typing import cast

from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli


def test_an_archived_agent_takes_nothing_more(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    done = cli.run("archive", root, "--reason", "it is done")
    again = cli.run("archive", root, "--json").document
    refused = cli.run("send", root, "hello again")

    assert done.out == f"archived {root}; nothing is running\n"
    assert (again["already"], again["running"]) == (True, False)
    assert refused.fails(5, "archived")
    assert "hello" in cli.run("show", root).out
    assert "see `postroom agents SESSION --archived`" in cli.run("agents", root).err
    cli.run("stop", root)
    assert cli.run("agents", root, "--archived").out.splitlines()[1].split()[2] == "archived"
    assert cli.run("doctor").code == 0


def test_an_agent_is_found_by_the_name_that_the_person_gave_it(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    named = cli.run("rename", root, "tax papers")
    refused = cli.run("rename", root, "a:b")
    shown = cli.run("show", "tax papers")

    titled = cli.run("retitle", "tax papers", "What I owe")
    blank = cli.run("retitle", root, " ")

    assert titled.out.startswith(f"{root} is titled What I owe now")
    assert blank.fails(5, "invalid_title")
    assert named.out.startswith("main is called tax papers now")
    assert refused.fails(5, "invalid_name")
    assert "a name holds none of" in refused.err
    assert "hello" in shown.out
    assert cli.run("ps").out.splitlines()[1].endswith("«tax papers» What I owe")
    assert "«tax papers»" in cli.run("agents").out


def test_deleting_asks_first_and_takes_the_texts_along(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    asked = cli.run("delete", root)
    still = cli.run("ps", "--json").document["agents"]
    gone = cli.run("delete", root, "--yes")

    assert asked.fails(2, "usage")
    assert "--yes" in asked.err
    assert len(rows(still)) == 1
    assert gone.out.startswith(f"deleted {root}: 1 agent")
    assert rows(cli.run("ps", "--json").document["agents"]) == []
    assert cli.run("show", root).fails(5, "not_found")
    assert "hello" not in cli.run("search", "hello").out
    assert cli.run("doctor").code == 0


def test_the_process_that_runs_the_store_does_it(cli: Cli, team: Path, slow_team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    root = _root(cli)

    with cli.runner(slow_team):
        named = cli.run("rename", root, "tax papers", "--json").document
        archived = cli.run("archive", "tax papers", "--json").document
        deleted = cli.run("delete", root, "--yes", "--json").document

    assert (named["name"], named["running"]) == ("tax papers", True)
    assert (archived["already"], archived["running"]) == (False, True)
    assert (deleted["session_id"], deleted["running"]) == (root, True)


def _root(cli: Cli) -> str:
    return cast("str", rows(cli.run("ps", "--json").document["agents"])[0]["session_id"])
