"""The standard streams as they may be: full, closed, of another alphabet, or left by whoever read them."""

import os
import pty
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.cli import PATIENCE_S, POSTROOM, THINKS, Cli, Result, write_team

WORDS = "Grüße → 😀"


def in_a_shell(cli: Cli, command: str, **env: str) -> Result:
    """What a shell makes of a line in which $P is the program."""
    done = subprocess.run(
        ["bash", "-c", f"P={shlex.quote(shlex.join(POSTROOM))}; {command}"], env={**cli.env, **env},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False, cwd=cli.folder,
    )  # fmt: skip
    return Result(code=done.returncode, out=done.stdout.decode("latin-1"), err=done.stderr.decode())


@pytest.mark.parametrize("more", ["", "--json"])
@pytest.mark.parametrize(("full", "there"), [("/dev/full", "/dev/full"), ("/proc/$$/mem", "/proc/1")])
def test_output_that_cannot_be_written_is_told_on_one_line(
    cli: Cli, team: Path, full: str, there: str, more: str
) -> None:
    """No room is left, or the disk fails: no end of a terminal, though the error is the same."""
    if not Path(there).exists():  # what can never be written is not on every system
        return
    cli.run("run", "--team", team, "hello")

    assert in_a_shell(cli, f"$P ps {more} >{full}; exit $?").fails(1, "output_failed")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_keep_a_command_from_nothing(cli: Cli, team: Path, closed: str) -> None:
    """None of the store's files gets the number of one of them, and the exit code stays what it is."""
    done = in_a_shell(
        cli, f"$P run --team {shlex.quote(str(team))} hello {closed}; $P send nobody - {closed}"
    )

    assert done.code == 5
    assert [agent["state"] for agent in cli.agents()] == ["finished"]
    assert cli.run("doctor").code == 0


def test_a_failure_keeps_its_exit_code_when_nobody_reads_why(cli: Cli) -> None:
    assert in_a_shell(cli, "$P ps 2>&1 | head -0; exit ${PIPESTATUS[0]}").code == 3


@pytest.mark.parametrize("alphabet", ["latin-1", "ascii"])
def test_json_stays_json_where_the_alphabet_lacks_a_letter(cli: Cli, team: Path, alphabet: str) -> None:
    cli.run("run", "--team", team, WORDS)

    found = in_a_shell(cli, f"$P show {cli.session()} --json", PYTHONIOENCODING=alphabet).document
    assert f'"{WORDS}"' in str(found).replace("'", '"')


def test_a_terminal_that_goes_away_ends_a_run_in_order(cli: Cli, tmp_path: Path) -> None:
    """As SIGTERM does: the exit code says so, and nothing is left running."""
    team = write_team(tmp_path / "team", {"ann": THINKS})
    ours, theirs = pty.openpty()
    begun = subprocess.Popen(
        [*POSTROOM, "run", "--verbose", "--team", team, "the task"], env=cli.env, stdin=theirs, stdout=theirs,
        stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"turn.started" not in seen:
        seen += os.read(ours, 65_536)
    os.close(ours)
    begun.send_signal(signal.SIGHUP)  # what a shell does for a terminal that is nobody's own

    assert begun.wait(PATIENCE_S) == 130
    (ended,) = [event for event in cli.log() if event["kind"] == "turn.ended"]
    assert "interrupted" in str(ended["facts"])
