"""`postroom agents`, `tasks` and `todo`, and several agents of one session in the other commands."""

from pathlib import Path
from typing import cast

import pytest

from postroom.frontends.cli.texts import Row, rows
from tests.cli.cli import Cli, write_team

LEAD = """\
- calls:
    - {todo_create: {subject: dig a well}}
    - {agent: {prompt: Find water., description: scout, agent_id: bob}}
- calls:
    - {todo_update: {id: "1", status: in_progress}}
    - {archive_agent: {to: scout, reason: it has found some}}
- text: All is dug.
- text: And that, too.
"""
SCOUT = "- text: Water is everywhere.\n- text: I am here.\n"
SURFACE = 'surface = "branch"\n'


@pytest.fixture
def crew(cli: Cli, tmp_path: Path) -> Cli:
    """A lead that has planned and made a scout, and the scout, which was archived."""
    team = write_team(tmp_path / "crew", {"ann": LEAD, "bob": SCOUT}, settings=SURFACE)
    done = cli.run("run", "--team", team, "Dig.")
    assert done.code == 0, done.err
    return cli


def test_agents_of_a_session_are_listed_and_archived_ones_apart(crew: Cli) -> None:
    """OP-3, OP-4: for the person, as a table and as JSON."""
    ann = crew.session()

    live, retired, every = (
        crew.run("agents"),
        crew.run("agents", ann, "--archived"),
        crew.run("agents", "--all"),
    )
    (listed,) = rows(crew.run("agents", "--archived", "--json").document["sessions"])
    (scout,) = cast("list[Row]", listed["agents"])

    assert live.out.splitlines()[0].split() == ["AGENT", "PROFILE", "STATE", "TURNS", "CHARS", "NEWEST"]
    assert live.out.splitlines()[1].startswith(f"{ann}  ann      finished  ")
    assert live.out.splitlines()[1].endswith("All is dug.")
    assert len(live.out.splitlines()) == 2
    assert retired.out.splitlines()[1].startswith("  scout")
    assert every.out == live.out
    assert (scout["name"], scout["archived_reason"], scout["internal"]) == (
        "scout",
        "it has found some",
        True,
    )
    assert scout["address"] == f"{ann}:{scout['branch_id']}"


def test_tasks_and_the_board_are_shown(crew: Cli) -> None:
    ann = crew.session()

    tasks, board = crew.run("tasks", ann), crew.run("todo", ann)
    (task,) = rows(crew.run("tasks", "--json").document["tasks"])
    (entry,) = rows(crew.run("todo", "--json").document["todos"])

    assert tasks.out.splitlines()[0].split() == ["TASK", "STATE", "FROM", "TO", "DESCRIPTION"]
    assert tasks.out.splitlines()[1].split() == [str(task["task_id"]), "completed", "ann", "scout", "scout"]
    assert board.out == "in_progress:\n  #1 dig a well (main)\n"
    assert (entry["id"], entry["status"], entry["owner"]) == (1, "in_progress", "main")


def test_an_agent_is_named_by_its_name_its_address_or_its_task(crew: Cli) -> None:
    (task,) = rows(crew.run("tasks", "--json").document["tasks"])
    ann = crew.session()
    names = ("scout", f"{ann}:scout", str(task["target_address"]))

    shown = [crew.run("show", name) for name in names]
    why = [crew.run("why", name, "--json") for name in (*names, str(task["task_id"]))]
    log = crew.run("log", "scout", "--json").documents

    assert all("Water is everywhere." in one.out for one in shown)
    assert all("All is dug." not in one.out for one in shown)
    assert [one.code for one in why] == [0, 0, 0, 0]
    assert {str(event["agent"]) for event in log} == {"scout"}
    assert crew.run("show", "nobody").fails(5, "not_found")


def test_ps_leaves_archived_agents_to_another_list(crew: Cli) -> None:
    table = crew.run("ps")
    states = {agent["profile"]: agent["state"] for agent in crew.agents()}

    assert states == {"ann": "finished", "bob": "archived"}
    assert "scout" not in table.out
    assert "1 archived agent left out, see `postroom agents SESSION --archived`" in table.err


def test_an_archived_agent_takes_nothing_from_the_person_either(crew: Cli) -> None:
    sent = crew.run("send", "scout", "hello")

    assert sent.code != 0
    assert "archived" in sent.err


def test_an_empty_store_has_nothing_to_list(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", write_team(tmp_path / "solo", {"ann": "- text: Hello.\n"}), "hello")

    assert cli.run("tasks").err == "no task has been handed out\n"
    assert cli.run("todo").err == "the board is empty\n"
    assert cli.run("agents", "--archived").err == "there are no archived agents\n"
    assert cli.run("agents", "x", "--all").fails(2, "usage")


def test_a_running_process_lists_the_same(cli: Cli, tmp_path: Path) -> None:
    """Through the door, as in the store itself."""
    thinks = LEAD.replace("- text: All is dug.\n", "- text: All is dug.\n  think_s: 600\n")
    team = write_team(tmp_path / "crew", {"ann": thinks, "bob": SCOUT}, settings=SURFACE)
    with cli.start("run", "--verbose", "--team", team, "Dig.") as process:
        process.await_error('"event": "door.opened"')
        process.await_error('"event": "task.ended"')
        tasks, board = cli.run("tasks", "--json"), cli.run("todo", "--json")
        live = cli.run("agents", "--json")

    (task,) = rows(tasks.document["tasks"])
    assert (task["dispatcher"], task["target"]) == ("ann", "scout")
    assert [entry["subject"] for entry in rows(board.document["todos"])] == ["dig a well"]
    assert [session["profile"] for session in rows(live.document["sessions"])] == ["ann"]


def test_the_person_talks_to_one_of_several_agents(cli: Cli, tmp_path: Path) -> None:
    """By a chat, and by a text that runs the store until it is answered: each time that agent answers."""
    lead = "- calls: [{agent: {prompt: Find water., description: scout, agent_id: bob}}]\n- text: Noted.\n"
    scout = "- text: Water is everywhere.\n- text: I am here.\n- text: And I am there.\n"
    team = write_team(tmp_path / "crew", {"ann": lead, "bob": scout}, settings=SURFACE)
    cli.run("run", "--team", team, "Dig.")

    chat = cli.run("chat", "--team", team, "--session", "scout", text="Where are you?\n")
    sent = cli.run("send", f"{cli.session()}:scout", "And now?", "--run")
    history = cli.run("show", "scout").out

    assert "I am here." in chat.out
    assert sent.out.strip() == "And I am there."
    assert "Where are you?" in history
    assert "Noted." not in history
