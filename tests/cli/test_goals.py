"""`postroom goal`: with a process that runs the store and without one."""

from pathlib import Path

import pytest

from postroom.frontends.cli.texts import Row, rows
from tests.cli.cli import Cli, Result, write_team

DIGS = """\
- text: Hello.
- calls: [{goal_update: {items: [{text: find water, done: true}, {text: dig, done: false}]}}]
- text: Half of it.
- calls: [{goal_update: {items: [{text: find water, done: true}, {text: dig, done: true}]}}]
- text: All of it.
"""


def goal(found: Result) -> Row:
    """The goal in a JSON answer."""
    shown = found.document["goal"]
    assert isinstance(shown, dict)
    return shown


def test_a_goal_is_set_worked_off_and_shown(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", write_team(tmp_path / "digs", {"ann": DIGS}), "hello")
    ann = cli.session()

    none = cli.run("goal", "show", ann)
    kept = cli.run("goal", "set", ann, "-", text="dig a well")
    waits = goal(cli.run("goal", "show", ann, "--json"))
    cli.run("resume", ann, "--run")
    after = cli.run("goal", "show", ann)
    done = goal(cli.run("goal", "show", ann, "--json"))

    assert (none.code, none.out, none.err) == (0, "", "it has no goal\n")
    assert kept.out.startswith("the goal is active; nothing is running")
    assert (waits["state"], waits["text"], waits["reminders"]) == ("active", "dig a well", 1)
    assert after.out == "completed: dig a well\n  [x] find water\n  [x] dig\n"
    assert after.err == "2 of 2 done, 0 reminders since the list changed\n"
    assert (done["state"], done["done"], len(rows(done["items"]))) == ("completed", 2, 2)


def test_a_goal_without_progress_pauses_with_a_notice_from_postroom(cli: Cli, tmp_path: Path) -> None:
    idles = "- text: Hello.\n" + "- text: Later.\n" * 3
    cli.run("run", "--team", write_team(tmp_path / "idles", {"ann": idles}), "hello")
    ann = cli.session()

    cli.run("goal", "set", ann, "dig a well")
    once = cli.run("goal", "show", ann)
    resumed = cli.run("resume", ann, "--run")
    thrice = cli.run("goal", "show", ann)

    assert once.err == "0 of 0 done, 1 reminder since the list changed\n"
    assert "ann: its goal is paused: reminders led to nothing" in resumed.err
    assert (thrice.out, thrice.err[:30]) == ("paused: dig a well\n", "0 of 0 done, 3 reminders since")
    assert "notice from Postroom" in cli.run("show", ann).out
    assert "notice from `Postroom`" in cli.run("export", ann).out


def test_setting_a_goal_can_run_the_store(cli: Cli, tmp_path: Path) -> None:
    cli.run("run", "--team", write_team(tmp_path / "digs", {"ann": DIGS}), "hello")

    ran = cli.run("goal", "set", cli.session(), "dig a well", "--run", "--json")

    assert goal(ran)["text"] == "dig a well"
    assert goal(cli.run("goal", "show", cli.session(), "--json"))["state"] == "completed"


def test_a_goal_is_paused_resumed_and_cancelled(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    ann = cli.session()
    cli.run("goal", "set", ann, "dig a well")

    second = cli.run("goal", "set", ann, "build a house")
    states = [
        goal(cli.run("goal", do, ann, "--json"))["state"] for do in ("pause", "pause", "resume", "cancel")
    ]
    over = cli.run("goal", "pause", ann)
    nobody = cli.run("goal", "show", "nobody")
    blank = cli.run("goal", "set", ann, " ")

    assert second.fails(5, "goal_open")
    assert states == ["paused", "paused", "active", "cancelled"]
    assert over.fails(5, "no_goal")
    assert nobody.fails(5, "not_found")
    assert blank.fails(5, "invalid_body")


@pytest.mark.parametrize("words", [("set", "ann"), ("pause", "ann", "text"), ("begin", "ann", "text")])
def test_a_wrong_command_line_changes_nothing(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.run("goal", *words).fails(2, "usage")


def test_a_process_that_runs_the_store_takes_goals(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        ann = cli.session()
        kept = cli.run("goal", "set", ann, "dig a well", "--json")
        shown = cli.run("goal", "show", ann)
        paused = cli.run("goal", "pause", ann)

    assert kept.document["running"] is True
    assert shown.out == "active: dig a well\n"
    assert paused.out == "the goal is paused\n"


@pytest.mark.parametrize("do", ["set", "resume"])
def test_of_a_stopped_agent_it_is_said_that_it_works_on_no_goal_until_it_is_resumed(
    cli: Cli, tmp_path: Path, do: str
) -> None:
    """G11: a goal ends no pause; who sets one must hear that, in the text and in the JSON."""
    cli.run("run", "--team", write_team(tmp_path / "digs", {"ann": DIGS}), "hello")
    ann = cli.session()
    if do == "resume":
        cli.run("goal", "set", ann, "dig a well")
        cli.run("goal", "pause", ann)
    cli.run("stop", ann)

    told = cli.run("goal", do, ann, *(["dig a well"] if do == "set" else []))
    shown = cli.run("goal", "show", ann)
    stopped = goal(cli.run("goal", "show", ann, "--json"))
    again = goal(cli.run("goal", "resume", ann, "--json"))
    cli.run("resume", ann, "--run")

    assert f"postroom resume {ann}" in told.out
    assert "opens this store" not in told.out
    assert f"postroom resume {ann}" in shown.err
    assert stopped["agent_paused"] is again["agent_paused"] is True
    done = goal(cli.run("goal", "show", ann, "--json"))
    assert (done["state"], done["agent_paused"]) == ("completed", False)
