"""What agents ask the person, from the command line: while a process runs the store, and while none does."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.asking import SHOWN, ask_ids, asker_team, asking, asks, leave_open, writer_team
from tests.cli.cli import PATIENCE_S, POSTROOM, Cli


@pytest.fixture
def writers(tmp_path: Path) -> Path:
    return writer_team(tmp_path / "writers")


@pytest.fixture
def askers(tmp_path: Path) -> Path:
    return asker_team(tmp_path / "askers")


def test_an_ask_is_told_where_the_team_runs_and_decided_from_elsewhere(cli: Cli, writers: Path) -> None:
    """CK-6: the ask is shown with who, what and until when; then how it was decided."""
    with asking(cli, writers) as process:
        (first,) = ask_ids(cli)
        told = cli.run("approve", first[-8:])
        process.await_error(f"{first[-8:]} approved by person", "decide elsewhere")
        (second,) = ask_ids(cli)
        refused = cli.run("deny", second, "--reason", "enough of it")
        ended = process.end()

    assert (told.code, told.out) == (0, f"approved {first[-8:]} of ann\n")
    assert (refused.code, refused.out) == (0, f"denied {second[-8:]} of ann\n")
    assert (ended.code, ended.out) == (0, "All is said.\n")
    assert "denied by person" in ended.err
    assert [event["ask_id"] for event in cli.log() if event["kind"] == "ask.ended"] == [first, second]
    assert "by the person: enough of it" in cli.run("show", cli.session()).out


def test_the_list_says_who_wants_what_and_stays_the_same(cli: Cli, writers: Path) -> None:
    """O-23: whoever connects anew is told of the same asks by the same ids."""
    with asking(cli, writers):
        running, again = cli.run("asks", "--json"), cli.run("asks", "--json")
        of_tree = cli.run("asks", cli.session(), "--json")
    dead = cli.run("asks", "--json")

    assert running.document == again.document == of_tree.document
    assert running.document["running"] is True
    assert dead.document == {"asks": running.document["asks"], "running": False}
    (ask,) = asks(cli)
    assert list(ask) == [
        "ask_id", "kind", "session_id", "agent", "profile", "tool", "action", "resource", "to", "text",
        "options", "requested_us", "due_us", "message_id", "branch_id", "root_session_id",
    ]  # fmt: skip
    shown = {key: ask[key] for key in ("kind", "profile", "tool", "action", "resource", "options")}
    assert shown == {
        "kind": "approval", "profile": "ann", "tool": "send_message", "action": "message",
        "resource": "child", "options": [],
    }  # fmt: skip
    assert str(ask["to"]).startswith("bob_")


def test_what_an_agent_wants_to_say_cannot_steer_the_terminal_or_look_like_an_ask(
    cli: Cli, writers: Path
) -> None:
    """O-24: control characters, turned text and line breaks are seen and not obeyed."""
    with asking(cli, writers):
        listed, full = cli.run("asks"), cli.run("asks", "--full")

    lines = listed.out.splitlines()
    assert len(lines) == 2
    assert lines[1] == f"    | {SHOWN}"
    assert not {"\x1b", "\u202e", "\u200b"} & set(listed.out + full.out)
    assert [line[:6] for line in full.out.splitlines()[1:]] == ["    | ", "    | "]


def test_leave_for_the_tree_is_asked_for_once_and_listed(cli: Cli, writers: Path) -> None:
    with asking(cli, writers) as process:
        told = cli.run("approve", ask_ids(cli)[0], "--for", "tree")
        ended = process.end()

    rights = cli.run("permissions", cli.session(), "--json").document
    assert told.out.endswith("of ann for the tree\n")
    assert (ended.code, ended.err.count("decide elsewhere")) == (0, 0)
    assert rights["grants"] == [
        {"action": "message", "resource": "child", "to": cli.agents()[1]["handle"], "tool": "send_message"}
    ]
    assert "granted  message child → bob_" in cli.run("permissions", cli.session()).out


@pytest.mark.parametrize(("typed", "said"), [("2", "green"), ("blue", "blue"), ("rather red", "rather red")])
def test_a_question_is_answered_by_number_by_option_or_in_other_words(
    cli: Cli, askers: Path, typed: str, said: str
) -> None:
    """A child's question is told where its root runs; O-26: it takes the person's answer."""
    with asking(cli, askers) as process:
        (question,) = asks(cli, "questions")
        told = cli.run("answer", str(question["ask_id"])[-12:], typed)
        ended = process.end()

    assert question["options"] == ["blue", "green"]
    assert (told.code, ended.code, ended.out) == (0, 0, "Bob knows.\n")
    assert f"The person answered:\n{said}" in cli.run("show", str(question["session_id"])).out


def test_an_ask_in_a_store_that_nobody_runs_is_decided_there_and_acted_on_later(
    cli: Cli, writers: Path
) -> None:
    """O-23: what was asked before a kill -9 is open afterwards, and its turn goes on with the decision."""
    ask = leave_open(cli, writers)

    told = cli.run("approve", ask[-8:], "--json")
    with cli.start("resume", cli.session(), "--run") as process:
        process.await_error("decide elsewhere")
        (second,) = ask_ids(cli)
        cli.run("approve", second)
        gone_on = process.end()

    assert told.document == {
        "ask_id": ask, "kind": "approval", "state": "approved", "scope": "once", "agent": "ann",
        "session_id": cli.session(), "root_session_id": cli.session(), "running": False, "message_id": "",
        "message_state": "", "reason": "",
    }  # fmt: skip
    assert (gone_on.code, gone_on.out) == (0, "All is said.\n")
    assert second != ask


def test_a_decision_can_run_the_store_until_nothing_is_left_to_do(cli: Cli, askers: Path) -> None:
    question = leave_open(cli, askers)

    answered = cli.run("answer", question, "green", "--run")

    assert (answered.code, answered.out) == (0, "Bob knows.\n")
    assert not ask_ids(cli)


def test_what_is_decided_once_stays_decided(cli: Cli, writers: Path) -> None:
    ask = leave_open(cli, writers)
    cli.run("deny", ask)

    assert cli.run("approve", ask[-8:]).fails(5, "already_decided")
    assert cli.run("deny", ask, "--json").fails(5, "already_decided")
    assert cli.run("asks").err == "nothing waits for you\n"


def test_an_ask_has_no_short_name_of_its_first_digits(cli: Cli, writers: Path) -> None:
    ask = leave_open(cli, writers)

    assert cli.run("approve", ask[:8]).fails(5, "not_found")
    assert cli.run("approve", ask[-7:]).fails(5, "not_found")
    assert cli.run("approve", "\udcff" * 8).fails(5, "not_found")
    assert cli.run("answer", ask, "yes").fails(5, "invalid_arguments")
    assert cli.run("approve", ask.upper()[-9:]).code == 0


def test_a_number_that_no_option_has_answers_nothing(cli: Cli, askers: Path) -> None:
    question = leave_open(cli, askers)

    assert cli.run("answer", question, "3").fails(5, "invalid_arguments")
    assert cli.run("answer", question, " ").fails(5, "invalid_body")
    assert cli.run("approve", question).fails(5, "invalid_arguments")
    assert ask_ids(cli) == [question]


def test_without_a_terminal_a_question_is_refused_and_nothing_hangs(cli: Cli, askers: Path) -> None:
    """A new conversation is unattended unless the person says otherwise."""
    ran = cli.run("run", "--team", askers, "go")

    (refused,) = [e for e in cli.log() if e["kind"] == "ask.opened"] or [None]
    assert (ran.code, ran.out, refused) == (0, "Bob knows.\n", None)
    assert "ask_user:unattended" in cli.run("show", str(cli.agents()[1]["session_id"])).out


def test_a_mode_decides_in_the_person_s_place(cli: Cli, writers: Path) -> None:
    ran = cli.run("run", "--team", writers, "--mode", "yolo", "go")

    ended = [event["facts"] for event in cli.log() if event["kind"] == "ask.ended"]
    assert (ran.code, ran.out, ran.err) == (0, "All is said.\n", "")
    assert [(facts["state"], facts["by"]) for facts in ended if isinstance(facts, dict)] == [
        ("approved", "yolo"), ("approved", "yolo"),
    ]  # fmt: skip


def test_the_mode_of_a_tree_is_shown_and_changed(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "--mode", "auto_approve_n", "hello")
    session = cli.session()

    shown, changed = cli.run("mode", session), cli.run("mode", session, "ask")

    assert shown.out == "auto_approve_n\n"
    assert "ask decides what is asked from now on" in changed.out
    assert cli.run("mode", session, "--json").document == {
        "session_id": session, "mode": "ask", "running": False,
    }  # fmt: skip
    assert cli.run("mode", session, "always").fails(2, "usage")
    assert cli.run("mode", "nobody").fails(5, "not_found")


def test_rules_over_a_tree_are_set_replaced_and_taken_away(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    cli.run("permissions", session, "set", "message", "child", "ask")
    cli.run("permissions", session, "set", "shell", "rm *", "deny")
    replaced = cli.run("permissions", session, "set", "message", "child", "deny", "--json").document
    shown = cli.run("permissions", session).out
    unset = cli.run("permissions", session, "unset", "shell", "rm *", "--json").document
    unknown = cli.run("permissions", session, "unset", "shell", "rm *")
    cleared = cli.run("permissions", session, "clear")

    message = {"action": "message", "pattern": "child", "effect": "deny"}
    assert replaced["overlay"] == [{"action": "shell", "pattern": "rm *", "effect": "deny"}, message]
    assert shown == "mode ask\nrule  shell  rm *  deny\nrule  message  child  deny\n"
    assert unset["overlay"] == [message]
    assert unknown.fails(5, "invalid_arguments")
    assert cleared.out.startswith("0 rules of yours over the tree")


@pytest.mark.parametrize(
    "words",
    [
        ["set", "message", "child"], ["unset", "message"], ["clear", "message"], ["forget"],
        ["set", "fly", "x", "deny"], ["set", "message", "child", "maybe"],
    ],
)  # fmt: skip
def test_a_rule_that_is_not_whole_is_a_wrong_command_line(cli: Cli, team: Path, words: list[str]) -> None:
    cli.run("run", "--team", team, "hello")

    assert cli.run("permissions", cli.session(), *words).fails(2, "usage")


def test_the_mode_of_an_old_conversation_is_not_said_when_it_goes_on(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session = cli.session()

    assert cli.run("run", "--session", session, "--mode", "yolo", "more").fails(2, "usage")
    assert cli.run("run", "--team", team, "--attended", "--unattended", "x").fails(2, "usage")


def test_an_interrupted_run_leaves_its_asks_open(cli: Cli, writers: Path) -> None:
    with asking(cli, writers) as process:
        before = ask_ids(cli)
        process.signal(signal.SIGINT)
        ended = process.end()

    assert ended.code == 130
    assert ask_ids(cli) == before


@pytest.mark.parametrize(
    "command", [["asks"], ["questions"], ["approve", "x" * 8], ["mode", "x"], ["permissions", "x"]]
)
def test_without_a_store_there_is_nothing_to_ask(cli: Cli, command: list[str]) -> None:
    assert cli.run(*command).fails(3, "store_missing")
    assert not cli.store.exists()


def test_a_talk_through_a_pipe_decides_what_its_agents_ask(cli: Cli, writers: Path) -> None:
    talked = cli.run(
        "chat", "--team", writers, "--attended", "--json", text="go\n/approve\n/deny not again, please\n"
    )

    found = talked.documents
    assert talked.code == 0, talked.err
    asked = [record for record in found if record["type"] == "ask"]
    ended = [record for record in found if record["type"] == "ask_ended"]
    assert [record["ask_id"] for record in asked] == [record["ask_id"] for record in ended]
    assert [(record["state"], record["by"]) for record in ended] == [
        ("approved", "person"),
        ("denied", "person"),
    ]
    assert "by the person: not again, please" in cli.run("show", cli.session()).out


def test_a_talk_answers_a_child_s_question(cli: Cli, askers: Path) -> None:
    talked = cli.run("chat", "--team", askers, "--attended", text="go\n/answer 2\n")

    assert (talked.code, talked.out) == (0, "Bob knows.\n")
    child = str(cli.agents()[1]["session_id"])
    assert "The person answered:\ngreen" in cli.run("show", child).out


def test_a_mistyped_id_decides_nothing_else(cli: Cli, writers: Path) -> None:
    talked = cli.run(
        "chat", "--team", writers, "--attended", text="go\n/deny 0000beef no\n/approve\n/deny 20261201\n"
    )

    assert "nothing that was asked here ends with 0000beef" in talked.err
    assert "by the person: 20261201" in cli.run("show", cli.session()).out
    assert "0000beef" not in cli.run("export", "--full", "--json").out


def test_a_command_that_is_none_decides_nothing(cli: Cli, team: Path) -> None:
    talked = cli.run("chat", "--team", team, text="hello\n/aprove\n/approve\n/deny x\n/usr/bin is a path\n")

    assert talked.out == "Here you are.\nAnd again.\n"
    assert [line.partition(":")[0] for line in talked.err.splitlines()] == ["usage"] * 3
    assert "/usr/bin is a path" in cli.run("show", cli.session()).out


def test_a_process_whose_reader_has_gone_still_asks(cli: Cli, writers: Path) -> None:
    """The door's clients come and go; the ask is where it was."""
    with asking(cli, writers) as process:
        for _ in range(3):
            tail = subprocess.Popen([*POSTROOM, "tail", "--json"], env=cli.env, stdout=subprocess.PIPE)
            assert tail.stdout is not None
            tail.stdout.readline()
            tail.kill()
            tail.communicate(timeout=PATIENCE_S)
            assert len(ask_ids(cli)) == 1
        cli.run("approve", ask_ids(cli)[0], "--for", "tree")
        assert process.end().code == 0
