"""Each command on a store that no process runs, with its exit code."""

import contextlib
import json
import re
import sqlite3
from pathlib import Path
from typing import cast

import pytest

from postroom import __version__
from postroom.domain.plain import Json
from postroom.frontends.cli.commands import COMMANDS
from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli, write_team


def test_help_names_every_command(cli: Cli) -> None:
    said = cli.run("--help")

    assert said.code == 0
    assert {command.name for command in COMMANDS} <= set(
        re.findall(r"^    ([a-z]+)\s", said.out, re.MULTILINE)
    )


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_explains_itself(cli: Cli, command: str) -> None:
    said = cli.run(command, "--help")

    assert said.code == 0
    assert "--store" in said.out
    assert "--json" in said.out


def test_without_a_command_help_is_printed(cli: Cli) -> None:
    assert "COMMAND" in cli.run().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["ps", "--fly"],
        ["run"],
        ["send", "a"],
        ["tail", "--from", "x"],
        ["--sto", "x", "ps"],
        ["tail", "--from", "-1"],
        ["log", "--from", str(2**63)],
        ["log", "--limit", "-1"],
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_2(cli: Cli, arguments: list[str]) -> None:
    assert cli.run(*arguments).fails(2, "usage")
    assert cli.run(*arguments, "--json").fails(2, "usage")


def test_a_number_that_is_none_is_told_in_words(cli: Cli) -> None:
    assert "'x' is no whole number from 0 to" in cli.run("log", "--limit", "x").err


def test_the_version_is_printed(cli: Cli) -> None:
    assert cli.run("version").out == f"{__version__}\n"
    assert cli.run("version", "--json").document == {"version": __version__}


def test_init_writes_a_team_that_is_in_order_and_runs(cli: Cli, tmp_path: Path) -> None:
    made = cli.run("init", tmp_path / "new")

    checked = cli.run("check", tmp_path / "new", "--json")
    ran = cli.run("run", "--team", tmp_path / "new", "a haiku")

    assert made.code == 0
    assert "agents/editor.md" in made.out
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        assert f"export {name}=...  or {name}_FILE=FILE" in made.err
    assert checked.document == {"ok": True, "problems": [], "lacking": [], "troubles": []}
    assert (ran.code, ran.err) == (0, "")
    assert "whoever comes home" in ran.out


def test_init_overwrites_nothing(cli: Cli, tmp_path: Path) -> None:
    cli.run("init", tmp_path / "new")

    assert cli.run("init", tmp_path / "new").fails(3, "config_invalid")


def test_run_prints_the_answer_and_nothing_else(cli: Cli, team: Path) -> None:
    ran = cli.run("run", "--team", team, "hello")

    assert (ran.code, ran.out, ran.err) == (0, "Here you are.\n", "")


def test_run_reads_the_task_from_standard_input(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "-", text="a task of\ntwo lines")

    assert "a task of\ntwo lines" in cli.run("show", cli.session()).out


def test_run_goes_on_with_a_conversation(cli: Cli, team: Path) -> None:
    first = cli.run("run", "--team", team, "hello", "--json").document

    second = cli.run("run", "--session", str(first["session_id"]), "and now?", "--json").document

    assert second == {**first, "text": "And again."}
    assert len(cli.agents()) == 1


def test_running_again_with_the_same_client_id_does_nothing_twice(cli: Cli, team: Path) -> None:
    once = cli.run("run", "--team", team, "--client-id", "job-1", "hello", "--json")
    again = cli.run("run", "--team", team, "--client-id", "job-1", "hello", "--json")
    other = cli.run("run", "--team", team, "--client-id", "job-1", "other words")

    assert once.document == again.document
    assert other.fails(5, "idempotency_conflict")
    assert len(cli.agents()) == 1


def test_a_python_function_is_a_tool(cli: Cli, tmp_path: Path) -> None:
    script = "- calls:\n    - shout: {text: hey}\n- text: ${last}\n"
    team = write_team(tmp_path / "team", {"ann": script}, front="tools: [shout]\n")
    (tmp_path / "voices.py").write_text(
        'def shout(text: str) -> str:\n    """Shout."""\n    return text.upper()\n'
    )

    assert cli.run("run", "--team", team, "--tools", "voices:shout", "x").out == "HEY\n"
    assert cli.run("run", "--team", team, "x").fails(3, "config_invalid")
    assert cli.run("run", "--team", team, "--tools", "nowhere:x", "x").fails(3, "config_invalid")


def test_a_turn_that_fails_is_exit_1_and_says_how_to_go_on(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": "- calls:\n    - fly: {}\n"})

    failed = cli.run("run", "--team", team, "hello")

    assert failed.fails(1, "script_ended")
    assert f"postroom resume {cli.session()} --run {cli.at_store}" in failed.err


def test_a_broken_team_is_exit_3_and_makes_no_store(cli: Cli, team: Path) -> None:
    (team / "postroom.toml").write_text("entry = 1\n")

    assert cli.run("run", "--team", team, "hello").fails(3, "config_invalid")
    assert not cli.store.exists()


def test_a_profile_that_is_not_there_is_refused(cli: Cli, team: Path) -> None:
    assert cli.run("run", "--team", team, "--profile", "bob", "hello").fails(5, "not_found")


@pytest.mark.parametrize(
    "command",
    [["ps"], ["log"], ["tail"], ["show", "x"], ["send", "x", "y"], ["stop", "x"], ["doctor"], ["retry", "x"]],
)
def test_without_a_store_nothing_is_made(cli: Cli, command: list[str]) -> None:
    assert cli.run(*command).fails(3, "store_missing")
    assert not cli.store.exists()


def test_ps_lists_agents_and_says_that_nothing_runs(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")

    listed, told = cli.run("ps", "--json").document, cli.run("ps")
    session = cli.session()

    assert listed["running"] is False
    assert [agent["state"] for agent in cli.agents()] == ["finished"]
    assert session in told.out
    assert told.err == "nothing is running\n"
    assert cli.run("ps", session, "--json").document["agents"] == listed["agents"]


def test_show_prints_a_conversation_or_a_message(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    conversation = cli.run("show", session, "--json").document
    message_id = str(rows(conversation["messages"])[0]["message_id"])
    message = cli.run("show", message_id, "--json").document["message"]

    assert [item["text"] for item in rows(conversation["history"])] == ["hello", "Here you are."]
    assert isinstance(message, dict)
    assert (message["state"], message["round"], message["body"]) == ("consumed", 1, "hello")
    assert "Here you are." in cli.run("show", session).out
    assert "read       in round 1" in cli.run("show", message_id).out
    assert cli.run("show", "nobody").fails(5, "not_found")


def test_the_log_is_read_from_any_position(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    events = cli.log()
    session = cli.session()

    assert [event["pos"] for event in events] == list(range(1, len(events) + 1))
    assert cli.run("log", "--from", "5", "--limit", "2", "--json").documents == events[5:7]
    own = cli.run("log", session, "--json").documents
    assert [event["seq"] for event in own] == list(range(1, len(own) + 1))
    assert cli.run("log", session, "--from", "3", "--json").documents == own[3:]
    assert len(cli.run("log").out.splitlines()) == len(events)


def test_a_message_is_followed_through_the_log_by_its_id(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    accepted = next(event for event in cli.log() if event["kind"] == "message.accepted")

    kinds = [event["kind"] for event in cli.log() if event["message_id"] == accepted["message_id"]]

    assert kinds == ["message.accepted", "message.claimed", "message.consumed"]


def test_tail_prints_the_newest_events_and_ends_when_nothing_runs(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    events = cli.log()

    assert cli.run("tail", "--json").documents == events[-10:]
    assert cli.run("tail", "--from", "2", "--json").documents == events[2:]


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")

    with cli.start("log") as process:
        process.leave()
        ended = process.end()

    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["send", "{session}", "\udcff"], "invalid_body"),
        (["send", "\udcff", "x"], "not_found"),
        (["show", "\udcff"], "not_found"),
        (["ps", "\udcff"], "not_found"),
        (["send", "{session}", "x", "--client-id", "\udcff"], "invalid_arguments"),
        (["retry", "\udcff"], "invalid_arguments"),
        (["recall", "\udcff"], "invalid_arguments"),
    ],
)
def test_bytes_that_are_no_text_are_refused(cli: Cli, team: Path, arguments: list[str], code: str) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    assert cli.run(*(a.format(session=session) for a in arguments)).fails(5, code)


def test_many_that_write_at_once_to_a_store_nobody_runs_wait_for_each_other(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    with contextlib.ExitStack() as stack:
        sending = [stack.enter_context(cli.start("send", session, f"text {n}")) for n in range(8)]
        ended = [process.end() for process in sending]

    assert [(one.code, one.err) for one in ended] == [(0, "")] * 8
    assert cli.agents()[0]["unread"] == 8


def test_a_message_to_a_store_nobody_runs_is_kept_and_read_later(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    sent = cli.run("send", session, "more")
    waiting = cli.agents()[0]["unread"]
    read = cli.run("resume", session, "--run")
    answered = cli.run("send", session, "and more", "--run")

    assert sent.code == 0
    assert sent.out.startswith("accepted ")
    assert "nothing is running, it will be read when a process opens this store" in sent.out
    assert waiting == 1
    assert (read.code, read.out) == (0, "And again.\n")
    assert (answered.code, answered.out) == (0, "And once more.\n")
    assert cli.agents()[0]["unread"] == 0


def test_sending_says_in_json_what_a_program_needs(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    sent = cli.run("send", session, "more", "--mode", "queue", "--client-id", "m-1", "--json").document
    again = cli.run("send", session, "more", "--mode", "queue", "--client-id", "m-1", "--json").document

    assert sent == again
    assert (sent["mode"], sent["recipient_state"], sent["running"]) == ("queue", "waking_finished", False)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["nobody", "x"], "not_found"), (["{session}", " "], "invalid_body")],
)
def test_a_message_that_cannot_be_accepted_is_refused(
    cli: Cli, team: Path, arguments: list[str], code: str
) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    assert cli.run("send", *(a.format(session=session) for a in arguments)).fails(5, code)
    assert cli.agents()[0]["unread"] == 0


def test_stop_and_resume_work_on_a_store_nobody_runs(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    stopped = cli.run("stop", session)
    state = cli.agents()[0]["state"]
    again = cli.run("stop", session)
    resumed = cli.run("resume", session)

    assert (stopped.code, state, resumed.code) == (0, "paused", 0)
    assert stopped.out == "paused 1 agent; nothing is running\n"
    assert again.out == "paused already; nothing is running\n"
    assert "it goes on when a process opens this store" in resumed.out
    assert cli.agents()[0]["state"] == "finished"


def test_what_has_nothing_to_act_on_is_refused(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    assert cli.run("resume", session).fails(5, "nothing_to_resume")
    assert cli.run("cancel", session).fails(5, "already_ended")
    assert cli.run("retry", "no-message").fails(5, "not_quarantined")


def test_a_message_that_nobody_has_read_is_taken_back(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()
    (read,) = [e["message_id"] for e in cli.log() if e["kind"] == "message.accepted"]
    sent = cli.run("send", session, "never mind", "--json")

    message = str(cast("dict[str, Json]", sent.document)["message_id"])
    taken = cli.run("recall", message)
    again = cli.run("recall", message, "--json")
    shown = cast("dict[str, dict[str, Json]]", cli.run("show", message, "--json").document)

    assert (taken.code, taken.out) == (0, "taken back; nothing is running\n")
    assert again.document == {"recalled": True, "running": False}
    assert (shown["message"]["state"], shown["message"]["reason"]) == ("discarded", "recalled")
    assert cli.run("recall", str(read)).fails(5, "already_ended")
    assert cli.run("recall", "no-message").fails(5, "unknown_reference")


def test_the_doctor_finds_a_damage_and_mends_it(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    healthy = cli.run("doctor")
    connection = sqlite3.connect(cli.store / "postroom.db")
    connection.execute("UPDATE branch SET n_steer = 7")
    connection.commit()
    connection.close()

    found, mended, after = (
        cli.run("doctor"),
        cli.run("doctor", "--repair", "--json"),
        cli.run("doctor", "--json"),
    )

    assert (healthy.code, found.code, mended.code, after.code) == (0, 1, 0, 0)
    assert "lost 0, doubled 0" in healthy.out
    assert mended.document["mended"]
    assert Path(str(mended.document["backup"])).exists()
    assert after.document["findings"] == []


def test_the_process_log_holds_events_and_no_text_and_no_key(team: Path, tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"OPENAI_API_KEY": "sk-very-secret"})
    cli.run("run", "--team", team, "hello you there")

    written = (cli.store / "logs" / "postroom.log").read_text()
    lines = [json.loads(line) for line in written.splitlines()]

    assert {"process.opened", "turn.started", "turn.ended", "process.closing"} <= {
        line["event"] for line in lines
    }
    assert all({"at", "level", "event"} <= line.keys() for line in lines)
    assert next(line for line in lines if line["event"] == "turn.ended")["duration_s"] >= 0
    assert not [word for word in ("hello you there", "Here you are", "sk-very-secret") if word in written]


def test_text_of_agents_cannot_command_the_terminal(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "team", {"ann": '- text: "red \\e[31m alert"\n'})

    assert cli.run("run", "--team", team, "x").out == "red \\x1b[31m alert\n"
