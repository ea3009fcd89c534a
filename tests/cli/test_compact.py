"""`postroom compact`: beside a process that runs the store and without one."""

from pathlib import Path

import pytest

from postroom.frontends.cli.texts import rows
from tests.cli.cli import ANSWERS, Cli, write_team

SIDE_CALL = '[side_calls.summary]\nmodel = "scripted:scribe"\n'
SLOW = "- text: Here you are.\n  think_s: 600\n"


@pytest.fixture
def talk(tmp_path: Path) -> tuple[Cli, str]:
    """A conversation of three turns whose team has a model for summaries."""
    team = write_team(tmp_path / "team", {"ann": ANSWERS, "bob": SLOW, "scribe": "- text: They greeted.\n"},
                      settings=SIDE_CALL)  # fmt: skip
    cli = Cli(tmp_path)
    cli.run("run", "--team", team, "hello " * 200)
    root = cli.session()
    for text in ("again", "once more"):
        assert cli.run("send", root, text, "--run").code == 0
    return cli, root


def test_a_conversation_is_summed_up_and_shown_whole(talk: tuple[Cli, str]) -> None:
    cli, root = talk

    done = cli.run("compact", root)
    shown = rows(cli.run("show", root, "--json").document["history"])
    places = cli.run("revert", root, "--dry-run").out

    assert done.code == 0, done.err
    assert done.out.startswith("summed up: ")
    assert [item["role"] for item in shown] == [*["user", "assistant"] * 3, "summary"]
    assert shown[-1]["text"] == "They greeted."
    assert "They greeted." in places
    assert "They greeted." in cli.run("export", root).out
    assert "context.compacted" in [event["kind"] for event in cli.log()]
    assert cli.run("doctor").code == 0


def test_what_cannot_be_summed_up_says_why(talk: tuple[Cli, str]) -> None:
    cli, root = talk
    cli.run("compact", root)

    assert cli.run("compact", root).fails(5, "nothing_to_compact")
    assert cli.run("compact", "nobody").fails(5, "not_found")


def test_a_process_that_runs_the_store_does_it(talk: tuple[Cli, str], tmp_path: Path) -> None:
    cli, root = talk
    with cli.start(
        "run", "--verbose", "--team", tmp_path / "team", "--profile", "bob", "the task"
    ) as running:
        running.await_error('"event": "door.opened"', '"event": "turn.started"')
        bob = next(a["session_id"] for a in cli.agents() if a["profile"] == "bob")

        done = cli.run("compact", root, "--json").document
        busy = cli.run("compact", str(bob))

    assert done["running"] is True
    assert int(str(done["chars"])) > 0
    assert busy.fails(5, "not_idle")
