"""Stores that cannot be used: a clear line with code, cause and remedy, and nothing half-written."""

import os
import signal
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.cli import POSTROOM, Cli, Process, write_team

READ_ONLY_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def read_only(folder: Path) -> Sequence[str]:
    """What to write in front of a command for which the folder cannot be written.

    Rights do not bind root, so for root the folder is mounted anew, in a mount namespace of its own.
    """
    if os.geteuid() == 0:
        return ("unshare", "--mount", "sh", "-c", READ_ONLY_MOUNT, str(folder))
    folder.chmod(0o500)
    return ()


def full_after(blocks: int) -> Sequence[str]:
    """What to write in front of a command that may not make a file longer than so many KiB."""
    return ("bash", "-c", f'ulimit -f {blocks} && exec "$@"', "full")


def test_a_file_where_the_store_should_be_is_said(cli: Cli, team: Path) -> None:
    cli.store.write_text("no folder")

    assert cli.run("run", "--team", team, "hello").fails(3, "store_read_only")
    assert cli.run("ps").fails(3, "store_missing")
    assert cli.store.read_text() == "no folder"


def test_a_store_on_a_read_only_disk_cannot_be_run(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    session, before = cli.session(), len(cli.log())
    within = read_only(cli.store)

    ran = cli.run("run", "--team", team, "hello", within=within)
    sent = cli.run("send", session, "more", within=within)
    cli.store.chmod(0o700)

    assert ran.fails(3, "store_read_only")
    assert sent.fails(3, "store_read_only")
    assert len(cli.log()) == before


def test_a_store_on_a_read_only_disk_can_be_looked_at(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")
    within = read_only(cli.store)

    listed, logged = cli.run("ps", within=within), cli.run("log", within=within)
    cli.store.chmod(0o700)

    assert (listed.code, logged.code) == (0, 0), listed.err + logged.err
    assert "finished" in listed.out


def test_a_full_disk_at_the_start_is_said_and_leaves_no_half_store(cli: Cli, team: Path) -> None:
    said = cli.run("run", "--team", team, "hello", within=full_after(4))
    again = cli.run("run", "--team", team, "hello")

    assert said.fails(1, "store_full")
    assert (again.code, again.out) == (0, "Here you are.\n")


def test_a_disk_without_room_for_a_lock_is_full_and_not_read_only(cli: Cli, team: Path) -> None:
    said = cli.run("run", "--team", team, "hello", within=full_after(0))

    assert said.fails(1, "store_full")
    assert cli.run("ps").fails(3, "store_missing")
    assert cli.run("run", "--team", team, "hello").code == 0


def test_a_team_that_there_is_no_room_for_is_not_begun(cli: Cli, tmp_path: Path) -> None:
    said = cli.run("init", tmp_path / "new" / "team", within=full_after(0))

    assert said.fails(3, "config_invalid")
    assert not (tmp_path / "new").exists()
    assert cli.run("init", tmp_path / "new" / "team").code == 0


@pytest.mark.parametrize("command", ["ps", "log", "tail", "doctor"])
def test_a_store_that_was_begun_and_never_made_is_missing(cli: Cli, team: Path, command: str) -> None:
    cli.store.mkdir()
    (cli.store / "postroom.db").touch()

    assert cli.run(command).fails(3, "store_missing")
    assert cli.run("run", "--team", team, "hello").code == 0
    assert cli.run("doctor").code == 0


def test_a_disk_that_fills_up_pauses_the_turns_and_loses_nothing(cli: Cli, tmp_path: Path) -> None:
    """O-36: the room that a store needs is far below, the answer far above what the disk has."""
    answer = "x" * 2_000_000
    team = write_team(tmp_path / "team", {"ann": f"- text: {answer}\n"})
    with Process([*full_after(1500), *POSTROOM, "run", "--team", str(team), "hello"], cli.env) as process:
        process.await_error("turns are paused: store_full: ")
        process.signal(signal.SIGINT)
        ended = process.end()

    assert ended.code == 130
    assert cli.run("doctor").code == 0
    assert cli.run("resume", cli.session(), "--run").out == f"{answer}\n"


@pytest.mark.parametrize("command", [["ps"], ["run", "hello"], ["send", "a", "b"], ["doctor"], ["export"]])
def test_a_path_that_is_too_long_is_said(cli: Cli, team: Path, command: list[str]) -> None:
    """One that SQLite cannot open, and one that no file system has."""
    deep, long = cli.folder.joinpath(*["d" * 100] * 5), cli.folder / ("x" * 300)

    said = cli.run(*command, "--store", deep)
    other = cli.run(*command, "--store", long)

    if command[0] != "run":
        assert other.fails(3, "store_missing")
        assert "name too long" in other.err
    assert said.fails(3, "config_invalid")
    assert "SQLite takes" in said.err


@pytest.mark.parametrize("command", ["ps", "log", "tail", "doctor", "export"])
def test_a_misspelt_variable_is_refused_by_every_command(cli: Cli, team: Path, command: str) -> None:
    cli.run("run", "--team", team, "hello")
    cli.env["POSTROOM_STROE"] = "elsewhere"

    said = cli.run(command)

    assert said.fails(3, "config_invalid")
    assert "did you mean POSTROOM_STORE?" in said.err


def test_a_folder_that_cannot_be_made_is_said(cli: Cli, team: Path) -> None:
    (cli.folder / "file").write_text("")

    said = cli.run("run", "--team", team, "--store", cli.folder / "file" / "store", "hello")

    assert said.fails(3, "store_read_only")


@pytest.mark.parametrize("command", ["ps", "log", "run", "doctor", "demo"])
def test_a_store_of_a_newer_version_is_left_alone(cli: Cli, team: Path, command: str) -> None:
    cli.run("run", "--team", team, "hello")
    _write_pragma(cli.store / "postroom.db", "user_version = 999")
    more = {"run": ["--team", str(team), "hello"], "demo": ["--store", str(cli.store)]}.get(command, [])

    said = cli.run(command, *more, "--json")

    assert said.fails(3, "store_newer")
    assert "upgrade" in said.err


def test_a_database_of_another_program_is_refused(cli: Cli, team: Path) -> None:
    cli.store.mkdir()
    connection = sqlite3.connect(cli.store / "postroom.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()

    assert cli.run("run", "--team", team, "hello").fails(3, "store_corrupt")
    assert cli.run("ps").fails(3, "store_corrupt")


def test_a_file_that_is_no_database_is_refused(cli: Cli, team: Path) -> None:
    cli.store.mkdir()
    (cli.store / "postroom.db").write_bytes(b"no database at all " * 100)

    assert cli.run("run", "--team", team, "hello").fails(3, "store_corrupt")
    assert cli.run("log").fails(3, "store_corrupt")


def test_settings_that_are_wrong_are_said(cli: Cli, team: Path) -> None:
    cli.env["POSTROOM_LOG_LEVEL"] = "loud"

    assert cli.run("run", "--team", team, "hello").fails(3, "config_invalid")


def _write_pragma(path: Path, pragma: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()
