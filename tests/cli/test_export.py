"""`postroom export` as people and programs use it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.cli import POSTROOM, Cli, write_team

SECRET = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
TALK = {
    "ann": """
- calls:
    - delegate_subagent: {description: d, prompt: "ask me", agent_type: bob, background: true}
- text: Waiting.
- text: All is said.
- text: All is said.
""",
    "bob": "- text: Bob's result.\n",
}


@pytest.fixture
def talk(cli: Cli, tmp_path: Path) -> str:
    """A store with two agents and what they said; the session id of the first."""
    ran = cli.run("run", "--team", write_team(tmp_path / "talk", TALK), "speak")
    assert ran.code == 0, ran.err
    return cli.session()


def test_an_export_is_a_page_for_people(cli: Cli, talk: str) -> None:
    page = cli.run("export")

    assert (page.code, page.err) == (0, "")
    assert page.out.startswith("# Postroom export\n")
    assert "\n```text\nBob's result.\n```\n" in page.out
    assert talk in page.out


def test_an_export_is_a_line_of_json_for_each_part(cli: Cli, talk: str) -> None:
    for arguments in (["--format", "jsonl"], ["--json"], ["--json", "--output", "-"]):
        found = cli.run("export", talk, *arguments).documents

        assert [record["type"] for record in found[:2]] == ["export", "session"]
        assert found[-1]["type"] == "end"
        assert found[-1]["sessions"] == 2
        assert "event" not in {str(record["type"]) for record in found}


def test_a_full_export_has_the_events(cli: Cli, talk: str) -> None:
    found = cli.run("export", "--json", "--full").documents

    assert [r["pos"] for r in found if r["type"] == "event"]
    assert found[-1]["events"] == len(cli.log())


@pytest.mark.parametrize(("name", "begins"), [("a.md", "# Postroom"), ("a.jsonl", '{"type":"export"')])
def test_a_file_is_written_in_the_format_of_its_name(cli: Cli, talk: str, name: str, begins: str) -> None:
    said = cli.run("export", talk, "--output", cli.folder / name)
    told = cli.run("export", talk, "--output", cli.folder / name, "--json").document

    assert said.out == f"wrote {cli.folder / name}\n"
    assert (told["written"], told["sessions"]) == (str(cli.folder / name), 2)
    assert (cli.folder / name).read_text().startswith(begins)


def test_a_file_that_cannot_be_written_is_said(cli: Cli, talk: str) -> None:
    said = cli.run("export", "--output", cli.folder / "none" / "a.md")

    assert said.fails(1, "file_failed")


def test_a_device_is_written_to_and_not_replaced(cli: Cli, talk: str) -> None:
    assert cli.run("export", "--output", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_an_export_never_replaces_the_store_itself(cli: Cli, talk: str) -> None:
    assert cli.run("export", "--output", cli.store / "postroom.db").fails(5, "file_exists")
    assert cli.run("doctor").code == 0


def test_nobody_of_this_name_is_exported(cli: Cli, talk: str) -> None:
    said = cli.run("export", "nobody", "--output", cli.folder / "a.md")

    assert said.fails(5, "not_found")
    assert not (cli.folder / "a.md").exists()
    assert cli.run("export", "--store", cli.folder / "none").fails(3, "store_missing")


def test_an_export_reads_beside_a_process_that_runs_the_store(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team):
        found = cli.run("export", "--json").documents

    assert [r["state"] for r in found if r["type"] == "session"] == ["running"]
    assert [r["text"] for r in found if r["type"] == "item"] == ["the task"]


def test_an_export_holds_no_key(cli: Cli, tmp_path: Path) -> None:
    team = write_team(tmp_path / "talk", TALK)
    names = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
    keyed = Cli(tmp_path, env=dict.fromkeys(names, SECRET))
    keyed.run("run", "--team", team, "speak")

    for arguments in (["--full"], ["--full", "--json"]):
        assert SECRET not in keyed.run("export", *arguments).out
    assert not [
        path for path in cli.store.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]


def test_an_export_is_utf_8_whatever_the_terminal_speaks(cli: Cli, tmp_path: Path) -> None:
    """O-27: an emoji arrives, a lone half of one became U+FFFD on its way in."""
    team = write_team(tmp_path / "talk", {"ann": '- text: "\\U0001F600 \\ud83d"\n'})
    cli.env |= {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "POSIX"}
    cli.run("run", "--team", team, "speak")
    env = {**cli.env}

    for arguments in ([], ["--json"], ["--full"]):
        done = subprocess.run([*POSTROOM, "export", *arguments], env=env, capture_output=True, check=True)
        assert "\U0001f600 \ufffd" in done.stdout.decode("utf-8")


def test_a_reader_that_leaves_early_ends_the_export(cli: Cli, tmp_path: Path) -> None:
    long = "x" * 500_000
    cli.run("run", "--team", write_team(tmp_path / "talk", {"ann": f"- text: {long}\n"}), "speak")

    done = subprocess.run(
        ["sh", "-c", f"{' '.join(POSTROOM)} export --full | head -c 10"], env=cli.env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert (done.stdout, done.stderr) == ("# Postroom", "")


def test_an_export_does_not_change_the_store(cli: Cli, talk: str) -> None:
    before = (cli.store / "postroom.db").read_bytes()

    found = json.loads(cli.run("export", "--json").out.splitlines()[-1])

    assert found["type"] == "end"
    assert (cli.store / "postroom.db").read_bytes() == before
