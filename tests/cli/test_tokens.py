"""`postroom token`: beside a process that runs the store and without one."""

from pathlib import Path

from postroom.frontends.cli.texts import rows
from tests.cli.cli import Cli


def test_a_token_is_shown_once_listed_and_taken_back(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")

    added = cli.run("token", "add", "ci", "--scope", "read", "--expires", "30d")
    listed = cli.run("token", "list")
    (shown,) = rows(cli.run("token", "list", "--json").document["tokens"])
    revoked = cli.run("token", "revoke", str(shown["token_id"]))
    again = cli.run("token", "revoke", str(shown["token_id"]))

    assert added.out.startswith("pr_")
    assert len(added.out.splitlines()) == 1
    assert "only time" in added.err
    assert added.out.strip() not in listed.out
    assert listed.out.splitlines()[1].split()[1:4] == ["ci", "read", "program"]
    assert (shown["scope"], shown["is_live"], shown["last_used_us"]) == ("read", True, None)
    assert revoked.out == again.out == "ci opens nothing any more\n"
    assert "there are no tokens" in cli.run("token", "list").err
    assert cli.run("doctor").code == 0


def test_tokens_are_handed_out_beside_the_process_that_runs_the_store(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        made = cli.run("token", "add", "box", "--scope", "admin", "--json").document
        listed = rows(cli.run("token", "list", "--json").document["tokens"])

    assert made["running"] is True
    assert [token["name"] for token in listed] == ["box"]


def test_a_command_that_says_too_little_or_too_much_does_nothing(cli: Cli, team: Path) -> None:
    cli.run("run", "--team", team, "hello")

    assert cli.run("token", "add", "ci").fails(2, "usage")
    assert cli.run("token", "add", "ci", "--scope", "read", "--expires", "yesterday").fails(2, "usage")
    assert cli.run("token", "add", "a\nb", "--scope", "read").fails(5, "invalid_name")
    assert cli.run("token", "revoke", "x").fails(5, "not_found")
    assert rows(cli.run("token", "list", "--json").document["tokens"]) == []
