"""Whether somebody is there, from the command line: nothing waits for a person in a job, and no script
takes a question away that a person at another terminal may answer.
"""

import signal
from pathlib import Path

import pytest

from postroom.frontends.cli.texts import rows
from tests.cli.asking import ASKER, ask_ids, asker_team, asking, leave_open
from tests.cli.cli import Cli, write_team

TWICE = """
- calls:
    - ask_user: {question: "Now?"}
- calls:
    - ask_user: {question: "And now?"}
- text: "${last}"
- text: And again.
"""
SLOW = '''import threading


def dig(text: str) -> str:
    """Take a while."""
    threading.Event().wait(2)
    return text


tools = [dig]
'''


@pytest.fixture
def askers(tmp_path: Path) -> Path:
    return asker_team(tmp_path / "askers")


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    return write_team(tmp_path / "twice", {"ann": TWICE})


def test_a_job_ends_when_only_a_question_is_left_and_leaves_it_open(cli: Cli, twice: Path) -> None:
    """What a job says to an attended conversation is kept, and read once its question is answered."""
    question = leave_open(cli, twice)

    ended = cli.run("run", "--session", cli.session(), "more")

    assert ended.code == 7
    assert ended.err.splitlines()[-1].startswith("question_open: only 1 question to you keeps it from ending")
    assert f"postroom answer {question[-8:]} {cli.at_store} TEXT --run" in ended.err
    assert ask_ids(cli) == [question]
    again = cli.run("answer", question, "yes", "--run")
    (second,) = ask_ids(cli)
    assert (again.code, second != question) == (7, True)
    answered = cli.run("answer", second, "also now", "--run")
    assert (answered.code, answered.out) == (0, "And again.\n")


def test_a_job_that_says_so_withdraws_what_is_open_and_goes_on(cli: Cli, askers: Path) -> None:
    question = leave_open(cli, askers)
    child = str(cli.agents()[1]["session_id"])

    ran = cli.run("run", "--session", child, "--unattended", "more")

    assert ran.code == 0, ran.err
    assert ask_ids(cli) == []
    assert "ask_user:unattended" in cli.run("show", child).out
    assert cli.run("permissions", child, "--json").document["attended"] is False
    too_late = cli.run("answer", question, "green")
    assert too_late.fails(5, "already_decided")
    assert "withdrawn: you said that nobody is there" in too_late.err


def test_a_conversation_of_a_job_can_be_attended_later(cli: Cli, twice: Path) -> None:
    """The word of the command line holds for the whole conversation, and so for what comes after it."""
    cli.run("run", "--team", twice, "go")
    (twice / "scripts" / "ann.yaml").write_text(f"- text: x\n- text: x\n- text: x\n{ASKER}")

    with cli.start("run", "--session", cli.session(), "--attended", "once more") as process:
        process.await_error("decide elsewhere")
        (question,) = ask_ids(cli)
        cli.run("answer", question, "2")
        ended = process.end()

    assert (ended.code, ended.out) == (0, "The person answered:\ngreen\n")


def test_a_tool_at_work_beside_a_question_is_not_cut(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "digger.py").write_text(SLOW)
    script = '- calls:\n    - ask_user: {question: "Where?"}\n    - dig: {text: "deep"}\n- text: Done.\n'
    team = write_team(tmp_path / "team", {"ann": f"- text: Yes.\n{script}"}, front="tools: [digger]\n")
    cli.run("run", "--team", team, "--attended", "--tools", "digger:tools", "go")

    ended = cli.run("run", "--session", cli.session(), "--tools", "digger:tools", "dig")

    assert ended.code == 7
    (question,) = ask_ids(cli)
    assert cli.run("answer", question, "here", "--run", "--tools", "digger:tools").out == "Done.\n"


def test_a_file_that_talks_ends_when_only_a_question_is_left(cli: Cli, twice: Path) -> None:
    question = leave_open(cli, twice)

    talked = cli.run("chat", "--session", cli.session(), text="more\nand more\n")

    assert talked.code == 7
    assert "question_open" in talked.err
    assert f"answer {question[-8:]} {cli.at_store} TEXT --run" in talked.err
    assert ask_ids(cli) == [question]
    assert cli.agents()[0]["unread"] == 2, "what the file said is kept"


def test_a_file_that_talks_may_answer_behind_what_it_says(cli: Cli, twice: Path) -> None:
    leave_open(cli, twice)

    talked = cli.run("chat", "--session", cli.session(), text="more\n/answer yes\n")

    assert talked.code == 7
    (second,) = rows(cli.run("asks", "--json").document["asks"])
    assert second["text"] == "And now?"
    assert "The person answered:\nyes" in cli.run("show", cli.session()).out


def test_a_talk_says_to_a_running_process_that_nobody_is_there(cli: Cli, twice: Path) -> None:
    with asking(cli, twice) as process:
        cli.run("chat", "--session", cli.session(), "--unattended", text="")
        ended = process.end()

    assert (ended.code, ended.out.partition(": ")[0]) == (0, "ask_user:unattended")
    assert "withdrawn by person" in ended.err


def test_a_run_that_was_begun_attended_waits_without_a_terminal(cli: Cli, twice: Path) -> None:
    with asking(cli, twice) as process:
        process.signal(signal.SIGINT)
        assert process.end().code == 130
