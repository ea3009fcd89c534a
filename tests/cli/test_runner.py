"""Two processes and one store: the runner owns it, everybody else comes through its door."""

import shlex
import signal
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.daemon.wire import socket_path
from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli, write_team

STUBBORN = """
import asyncio


async def wait_for_ever() -> str:
    \"\"\"Wait, whatever happens.\"\"\"
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue
"""


def test_a_second_runner_is_refused_with_the_pid_of_the_first(cli: Cli, slow_team: Path) -> None:
    """O-35"""
    with cli.runner(slow_team) as first:
        second = cli.run("run", "--team", slow_team, "again")
        demo = cli.run("demo", "--store", cli.store, "--json")
        repair = cli.run("doctor", "--repair")

        assert second.fails(4, "store_in_use")
        assert f"pid {first.pid}" in second.err
        assert demo.fails(4, "store_in_use")
        assert repair.fails(4, "store_in_use")
        assert len(cli.agents()) == 1


def test_looking_goes_through_the_door_of_the_runner(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        listed = cli.run("ps", "--json").document
        session = cli.session()
        shown = cli.run("show", session, "--json").document
        logged = cli.run("log", session, "--json").documents

    assert listed["running"] is True
    assert [agent["state"] for agent in rows(listed["agents"])] == ["running"]
    assert [item["text"] for item in rows(shown["history"])] == ["the task"]
    assert [event["seq"] for event in logged] == list(range(1, len(logged) + 1))


def test_a_message_to_a_running_agent_is_accepted_by_the_runner(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        sent = cli.run("send", cli.session(), "and this", "--json").document
        message = cli.run("show", str(sent["message_id"]), "--json").document["message"]
        refused = cli.run("send", "nobody", "x")

    assert (sent["recipient_state"], sent["running"]) == ("running", True)
    assert isinstance(message, dict)
    assert message["state"] == "accepted"
    assert refused.fails(5, "not_found")


def test_stop_ends_the_turn_in_the_runner_and_run_says_so(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        stopped = cli.run("stop", cli.session())
        ended = runner.end()

    assert stopped.out == "paused 1 agent\n"
    assert ended.code == 1
    assert any(line.startswith("turn_stopped: ") for line in ended.err.splitlines())
    assert cli.agents()[0]["state"] == "paused"


def test_cancel_ends_the_turn_in_the_runner(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        cancelled = cli.run("cancel", cli.session())
        ended = runner.end()
    again = cli.run("cancel", cli.session())

    assert cancelled.out == "cancelled\n"
    assert again.fails(5, "already_ended")
    assert ended.code == 1
    assert "turn_cancelled: " in ended.err
    assert f"(say more with: postroom chat --session {cli.session()} --store " in ended.err


def test_what_a_killed_process_ran_is_not_said_to_run(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        runner.signal(signal.SIGKILL)
        runner.end()

    told = cli.run("ps")

    assert " running " in told.out
    assert told.err.startswith("nothing is running; what stands there as running was cut")


def test_resume_and_retry_through_the_door_refuse_as_they_do_without(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        assert cli.run("resume", cli.session()).fails(5, "nothing_to_resume")
        assert cli.run("retry", "no-message").fails(5, "not_quarantined")


def test_tail_streams_what_happens_until_the_runner_ends(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner, cli.start("tail", "--from", "0", "--json") as tail:
        tail.await_output('"kind": "turn.started"')
        sent = cli.run("send", cli.session(), "more", "--json").document
        tail.await_output(str(sent["message_id"]))
        runner.signal(signal.SIGINT)
        runner.end()
        ended = tail.end()

    assert ended.code == 0


def test_tail_ends_at_ctrl_c_without_a_word(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team), cli.start("tail", "--from", "0") as tail:
        tail.await_output("turn.started")
        tail.signal(signal.SIGINT)
        ended = tail.end()

    assert (ended.code, ended.err) == (130, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_cleanly_and_says_how_to_go_on(
    cli: Cli, slow_team: Path, number: signal.Signals
) -> None:
    with cli.runner(slow_team) as runner:
        session = cli.session()
        runner.signal(number)
        ended = runner.end()
    last = ended.err.splitlines()[-1]
    (slow_team / "scripts" / "ann.yaml").write_text("- text: Done after all.\n")
    command = last.partition("go on with: postroom ")[2].rstrip(")")

    assert ended.code == 130
    assert last.startswith("interrupted: ")
    assert command == f"resume {session} --run {cli.at_store}"
    assert not socket_path(cli.store).exists()
    assert cli.run("doctor").code == 0
    resumed = cli.run(*shlex.split(command))
    assert (resumed.code, resumed.out) == (0, "Done after all.\n")


def test_a_second_ctrl_c_ends_the_process_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    team = write_team(
        tmp_path / "team", {"ann": "- calls:\n    - wait_for_ever: {}\n"}, front="tools: [wait_for_ever]\n"
    )
    cli.env["POSTROOM_LOG_LEVEL"] = "debug"
    with cli.runner(team, "--tools", "stubborn:wait_for_ever") as runner:
        runner.await_error('"event": "answer.committed"')
        runner.signal(signal.SIGINT)
        runner.await_error('"event": "process.closing"')
        runner.signal(signal.SIGINT)
        ended = runner.end()

    assert ended.code == 130
    assert cli.run("doctor", "--repair").code == 0


def test_a_killed_runner_leaves_nothing_that_blocks(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        runner.signal(signal.SIGKILL)
        runner.end()
    left = socket_path(cli.store).exists()

    sent = cli.run("send", cli.session(), "are you there?")
    with cli.runner(slow_team):
        listed = cli.run("ps", "--json").document

    assert left
    assert "nothing is running" in sent.out
    assert listed["running"] is True


def test_a_frozen_runner_keeps_nobody_from_looking(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        runner.signal(signal.SIGSTOP)
        listed = cli.run("ps", "--json").document
        runner.signal(signal.SIGCONT)

    assert listed["running"] is True
    assert [agent["state"] for agent in rows(listed["agents"])] == ["running"]


async def test_a_room_without_a_door_can_be_looked_at_and_not_changed(cli: Cli, slow_team: Path) -> None:
    async with Postroom.open(cli.store, team=slow_team) as room:
        prompt = await room.prompt("hello")

        listed = cli.run("ps", "--json").document
        sent = cli.run("send", prompt.session_id, "more")

    assert listed["running"] is True
    assert sent.fails(4, "store_in_use")
