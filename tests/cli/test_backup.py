"""`postroom backup` and `postroom restore` beside a process that runs the store, and after it."""

from pathlib import Path

from tests.cli.cli import ANSWERS, Cli
from tests.cli.test_bad_stores import full_after


def test_a_store_is_copied_while_it_runs_and_its_turns_are_recovered(cli: Cli, slow_team: Path) -> None:
    """The turn that ran at the backup ends interrupted, and its mail is read by the next one."""
    file, other = cli.folder / "b.db", cli.folder / "other"
    with cli.runner(slow_team):
        cli.run("send", cli.session(), "unread yet")
        made = cli.run("backup", file)
        refused = cli.run("restore", file, "--force")
    restored = cli.run("restore", file, "--store", other)
    (slow_team / "scripts" / "ann.yaml").write_text(ANSWERS)
    session = str(cli.run("export", "--store", other, "--json").documents[1]["session_id"])

    ran = cli.run("resume", session, "--run", "--store", other)

    assert (made.code, made.err) == (0, "")
    assert refused.fails(4, "store_in_use")
    assert "a daemon: `postroom down`" in refused.err
    assert restored.out == f"restored {other} from {file}\n"
    assert (ran.code, ran.out) == (0, "Here you are.\n"), ran.err
    assert "unread yet" in cli.run("export", "--store", other).out
    assert cli.run("doctor", "--store", other).code == 0


def test_what_is_there_is_not_replaced(cli: Cli, team: Path) -> None:
    file = cli.folder / "b.db"
    cli.run("run", "--team", team, "hello")
    cli.run("backup", file)

    again, over = cli.run("backup", file), cli.run("restore", file)
    forced = cli.run("backup", file, "--force", "--json").document
    aside = cli.run("restore", file, "--force", "--json").document

    assert again.fails(5, "file_exists")
    assert over.fails(5, "file_exists")
    assert (forced["backup"], forced["bytes"]) == (str(file), file.stat().st_size)
    assert Path(str(aside["set_aside"])).parent == cli.store / "backups"
    assert cli.run("doctor").code == 0


def test_a_backup_for_which_there_is_no_room_is_not_begun(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")

    said = cli.run("backup", cli.folder / "b.db", within=full_after(8))

    assert said.code == 1
    assert said.err.startswith(("store_full: ", "file_failed: ")), said.err
    assert not list(cli.folder.glob("*b.db*"))


def test_what_is_no_backup_is_refused_with_its_reason(cli: Cli, team: Path) -> None:
    (cli.folder / "text").write_text("no database")

    assert cli.run("restore", cli.folder / "text").fails(3, "store_corrupt")
    assert cli.run("restore", cli.folder / "none").fails(1, "file_failed")
    assert cli.run("backup", cli.folder / "b.db").fails(3, "store_missing")
    assert not cli.store.exists()
