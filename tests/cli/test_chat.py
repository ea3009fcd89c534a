"""`postroom chat`: through a pipe, at a terminal, and beside a process that runs the store."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import pytest

from postroom.frontends.cli.output import Pieces
from tests.cli.asking import SHOWN, ask_ids, asker_team, asking, writer_team
from tests.cli.cli import PATIENCE_S, POSTROOM, THINKS, Cli, Process, write_team

TALK = {
    "ann": """
- text: I ask Bob.
  calls:
    - delegate_subagent: {description: d, prompt: "ask me", agent_type: bob}
- text: Bob has answered.
- text: And again.
""",
    "bob": "- text: Bob's result.\n",
}
STEERED = "- text: First.\n  think_s: 600\n- text: Never.\n"
_STYLES = re.compile(r"\x1b\[[0-9;]*[mK]")


class Terminal:
    """A command at a terminal of its own."""

    def __init__(self, arguments: list[str], env: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [*POSTROOM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env={**env, "TERM": "xterm"},
            start_new_session=True, preexec_fn=_own_terminal,  # noqa: PLW1509 -- before any thread
        )  # fmt: skip
        os.close(theirs)
        self._got = b""
        self._n_forgotten = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def await_sign(self, sign: str) -> None:
        """Read until the sign has come; what was before it is forgotten."""
        self.await_signs(sign)
        self._n_forgotten += self.seen.index(sign) + len(sign)

    def await_signs(self, *signs: str) -> None:
        """Read until each sign has come, in any order."""
        deadline = time.monotonic() + PATIENCE_S
        while missing := [sign for sign in signs if sign not in self.seen]:
            assert self._read(deadline), f"no {missing} in {self.seen!r}"

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self._ours, text.encode())

    def end(self) -> int:
        """Wait until it has ended; the exit code."""
        while self._read(time.monotonic() + PATIENCE_S):
            pass
        return self._process.wait(PATIENCE_S)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))
        try:
            got = os.read(self._ours, 65_536) if ready else b""
        except OSError:  # how a terminal ends at whose other side nobody is
            got = b""
        self._got += got
        return bool(got)

    @property
    def seen(self) -> str:
        """What has come; a letter or a style of several bytes may come in two pieces."""
        return _STYLES.sub("", self._got.decode(errors="ignore")).replace("\r", "")[self._n_forgotten :]


def _own_terminal() -> None:
    """Keys that send a signal send it to whoever the terminal belongs to."""
    import fcntl  # noqa: PLC0415 - in the child
    import termios  # noqa: PLC0415

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write_team(tmp_path / "talk", TALK)


def test_a_pipe_gets_the_answers_one_after_the_other(cli: Cli, talk: Path) -> None:
    said = cli.run("chat", "--team", talk, text="hello\n\nand more\n")

    assert (said.code, said.err) == (0, "")
    assert said.out == "I ask Bob.\nBob has answered.\nAnd again.\n"
    assert cli.agents()[0]["state"] == "finished"


def test_a_program_gets_every_step_as_json(cli: Cli, talk: Path) -> None:
    found = cli.run("chat", "--team", talk, "--json", text="hello").documents

    steps = [record for record in found if record["type"] != "text"]
    assert [record["type"] for record in steps] == ["session", "call", "mail", "mail", "ended"]
    assert "".join(str(r["text"]) for r in found if r["type"] == "text") == "I ask Bob.Bob has answered."
    assert found[0]["session_id"] == cli.session()
    assert steps[1]["tool"] == "delegate_subagent"
    assert [mail["kind"] for mail in found if mail["type"] == "mail"] == ["prompt", "result"]
    assert found[-1]["reason"] == "answered"


def test_an_interrupted_file_says_nothing_more(cli: Cli, slow_team: Path) -> None:
    process = subprocess.Popen(
        [*POSTROOM, "chat", "--json", "--team", str(slow_team)], env=cli.env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("one\ntwo\n")
        process.stdin.flush()
        assert '"session"' in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)

    accepted = [event for event in cli.log() if event["kind"] == "message.accepted"]
    assert process.returncode == 130
    assert len(accepted) == 1


def test_a_conversation_is_gone_on_with(cli: Cli, talk: Path) -> None:
    cli.run("chat", "--team", talk, text="hello")

    said = cli.run("chat", "--session", cli.session(), text="and?")

    assert said.out == "And again.\n"
    assert cli.run("chat", "--session", "nobody", text="x").fails(5, "not_found")


def test_the_last_words_of_a_talk_go_on_with_its_tools(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text('def count() -> int:\n    """Counts."""\n    return 1\n')
    team = write_team(tmp_path / "team", {"ann": "- text: Yes.\n"}, front="tools: [counter]\n")
    with talking(cli, "--team", team, "--tools", "counter:count") as chat:
        chat.type("hello\n")
        chat.await_sign("Yes.")
        chat.type("\x04")
        chat.await_sign(f"chat --session {cli.session()} {cli.at_store} --tools counter:count")


def test_another_agent_of_the_team_is_talked_to(cli: Cli, talk: Path) -> None:
    assert cli.run("chat", "bob", "--team", talk, text="hello").out == "Bob's result.\n"
    assert cli.run("chat", "eve", "--team", talk, text="hello").fails(5, "not_found")


def test_a_file_waits_for_work_in_the_background(cli: Cli, tmp_path: Path) -> None:
    """Its end is a message, and the answer to that is part of the talk."""
    team = write_team(
        tmp_path / "works",
        {
            "ann": '- calls: [{shell: {command: "sleep 1; echo done", background: true}}]\n'
            "- text: It runs.\n- text: It has ended.\n"
        },
        settings="[shell]\nallowed = true\n", front="tools: [shell]\n",
    )  # fmt: skip

    said = cli.run("chat", "--team", team, text="hello")

    assert (said.code, said.out, said.err) == (0, "It runs.\nIt has ended.\n", "")


def test_a_turn_that_fails_is_said_and_is_no_success(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "short", {"ann": "- text: Once.\n"})

    said = cli.run("chat", "--team", team, text="one\ntwo\n")

    assert said.out == "Once.\n"
    assert said.fails(1, "script_ended")


def test_text_that_is_no_text_is_refused_and_the_talk_goes_on(cli: Cli, talk: Path) -> None:
    """O-27"""
    done = subprocess.run(
        [*POSTROOM, "chat", "--team", talk], env=cli.env, input=b"hel\xfflo\nhello\n", capture_output=True,
        check=False,
    )  # fmt: skip

    assert done.stdout.decode() == "I ask Bob.\nBob has answered.\n"
    assert done.stderr.decode().startswith("invalid_body: ")


def test_broken_characters_of_a_model_are_shown_as_such(cli: Cli, tmp_path: Path) -> None:
    """O-27: in the stream too."""
    team = write_team(tmp_path / "broken", {"ann": '- text: "half \\ud83d a \\U0001F600 \\0 \\e[31m"\n'})

    said = cli.run("chat", "--team", team, text="hello")

    assert said.out == "half \ufffd a \U0001f600 \ufffd \\x1b[31m\n"


def test_halves_of_a_character_are_shown_as_one() -> None:
    """O-27: a provider may cut its stream anywhere."""
    pieces = Pieces()

    shown = [pieces.add(piece) for piece in ("a\ud83d", "\ude00b", "\ud83d", "x", "\udc00\x1b")]

    assert shown == ["a", "\U0001f600b", "", "\ufffdx", "\ufffd\\x1b"]


def test_a_running_process_is_talked_to_through_its_door(cli: Cli, tmp_path: Path) -> None:
    """It streams, and other conversations in the store are not heard."""
    slow = write_team(tmp_path / "slow", {"ann": THINKS, "bob": "- text: I am Bob.\n- text: Still Bob.\n"})
    with cli.runner(slow) as runner:
        said = cli.run("chat", "bob", text="hello\nand?\n")
        other = cli.run("chat", "--team", tmp_path, text="hello")
        first = next(agent for agent in cli.agents() if agent["profile"] == "ann")
        cli.run("stop", str(first["session_id"]))
        runner.end()

    assert (said.code, said.out, said.err) == (0, "I am Bob.\nStill Bob.\n", "")
    assert other.fails(3, "config_invalid")


def test_a_talk_whose_process_ends_says_so(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner, talking(cli, "--session", cli.session()) as chat:
        chat.type("hello\n")
        while not [event for event in cli.log() if event["kind"] == "message.accepted"][1:]:
            pass
        runner.signal(signal.SIGKILL)
        chat.await_sign("door_closed: ")

        assert chat.end() == 1


@contextmanager
def talking(cli: Cli, *arguments: str | Path) -> Iterator[Terminal]:
    """A talk at a terminal, ready for the first word."""
    with Terminal(["chat", *map(str, arguments)], cli.env) as terminal:
        terminal.await_sign("> ")
        yield terminal


def test_at_a_terminal_calls_and_mail_have_a_line_each(cli: Cli, talk: Path) -> None:
    with talking(cli, "--team", talk) as chat:
        chat.type("hello\n")
        chat.await_signs(
            "I ask Bob.\n", "· calls delegate_subagent {", "· ann → bob_", " → ann: result\n",
            "Bob has answered.\n",
        )  # fmt: skip
        chat.await_sign("\n> ")
        chat.type("\x04")
        chat.await_sign(f"go on with: postroom chat --session {cli.session()}")

        assert chat.end() == 0


def test_what_is_typed_while_a_turn_runs_joins_it_and_ctrl_c_stops_it(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "slow", {"ann": STEERED})
    with talking(cli, "--team", team) as chat:
        chat.type("hello\n")
        await_event(cli, "turn.started")
        chat.type("and this\n")
        while len([event for event in cli.log() if event["kind"] == "message.accepted"]) < 2:
            pass
        chat.type("\x03")
        chat.await_sign("stopped, your next words go on with it")
        chat.await_sign("its turn was stopped")
        state = cli.agents()[0]["state"]
        chat.type("\x03")
        assert chat.end() == 0

    steered = [event for event in cli.log() if event["kind"] == "message.accepted"][1]
    facts = steered["facts"]
    assert isinstance(facts, dict)
    assert (facts["kind"], facts["mode"]) == ("user", "steer")
    assert state == "paused"


def test_after_a_stop_the_next_words_go_on(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "slow", {"ann": THINKS})
    with talking(cli, "--team", team) as chat:
        chat.type("hello\n")
        await_event(cli, "turn.started")
        chat.type("\x03")
        chat.await_sign("its turn was stopped")
        chat.type("go on\n")
        while cli.agents()[0]["state"] != "running":
            pass
        chat.type("\x03")
        chat.await_sign("stopped")
        chat.type("\x04")

        assert chat.end() == 0


def test_two_ctrl_c_leave_an_idle_talk(cli: Cli, talk: Path) -> None:
    with talking(cli, "--team", talk) as chat:
        chat.type("\x03")
        chat.await_sign("Ctrl-C again leaves")
        chat.type("\x03")
        chat.await_sign("nothing was said")

        assert chat.end() == 0


def await_event(cli: Cli, kind: str) -> None:
    """Read the log until there is one."""
    with suppress(BrokenPipeError), Process([*POSTROOM, "tail", "--from", "0"], cli.env) as tail:
        tail.await_output(kind)


def test_a_chat_is_all_that_loads_the_drawing(cli: Cli) -> None:
    program = "import sys, postroom.frontends.cli.chat; print('rich' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def test_a_person_decides_at_the_terminal_what_is_asked(cli: Cli, tmp_path: Path) -> None:
    """O-26: a line is mail and answers nothing; a child's question is answered in the talk with its root."""
    asker_team(tmp_path / "askers")
    with Terminal(["chat", "--team", str(tmp_path / "askers")], cli.env) as terminal:
        terminal.await_sign("> ")
        terminal.type("go\n")
        terminal.await_signs("asks", "| Blue or green?", "1  blue", "2  green", "/answer")
        terminal.await_sign("> ")
        terminal.type("green, of course\n")
        terminal.await_sign("that was mail and answers nothing")
        terminal.type("/approve\n")
        terminal.await_sign("no agents ask for leave")
        terminal.type("/answer 7\n")
        terminal.await_sign("no option has the number 7")
        terminal.type("/asks\n")
        terminal.await_signs("| Blue or green?")
        terminal.type("/help\n")
        terminal.await_sign("/deny [ID] [reason]")
        terminal.type("/answer 2\n")
        terminal.await_signs("answered by person", "Bob knows.")
        terminal.type("\x04")
        assert terminal.end() == 0

    child = str(cli.agents()[1]["session_id"])
    assert "The person answered:\ngreen" in cli.run("show", child).out


def test_whoever_comes_back_sees_what_is_open_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    """O-23: two talks on one store, one after the other; what was decided between them is gone."""
    team = writer_team(tmp_path / "writers")
    with asking(cli, team) as process:
        session, (first,) = cli.session(), ask_ids(cli)
        with Terminal(["chat", "--session", session], cli.env) as terminal:
            terminal.await_signs(first[-8:], SHOWN, f"/approve {first[-8:]}")
        with Terminal(["chat", "--session", session], cli.env) as terminal:
            terminal.await_signs(first[-8:], SHOWN)
            terminal.type(f"/deny {first[-8:]} not so\n")
            terminal.await_sign("denied by person")
            terminal.await_sign("/approve ")
            (second,) = ask_ids(cli)
            terminal.type(f"/approve {first[-8:]} tree\n")
            terminal.await_sign("already_decided")
            terminal.type("/approve never\n")
            terminal.await_sign("neither the end of an id nor")
            assert ask_ids(cli) == [second]
            terminal.type(f"/approve {second[-8:]} tree\n")
            terminal.await_sign("approved by person for the tree")
        assert process.end().code == 0
