"""The example of conversations that find each other: a newcomer runs it without a key."""

from pathlib import Path

from tests.cli.cli import Cli


def test_one_conversation_finds_another_and_gets_its_answer(cli: Cli, tmp_path: Path) -> None:
    team = tmp_path / "peers"
    made = cli.run("init", team, "--example", "peer")
    checked = cli.run("check", team)
    kept = cli.run("run", "--team", team, "--profile", "keeper", "Keep the list of free ports")
    asked = cli.run("run", "--team", team, "Get me a port")

    assert (made.code, checked.code) == (0, 0), made.err + checked.err
    assert kept.out == "I keep ports 8000 to 8009 and give them out.\n"
    assert asked.out == "I have got port 8003 from the keeper.\n", asked.err
    assert cli.run("ps").out.count(" finished ") == 2
