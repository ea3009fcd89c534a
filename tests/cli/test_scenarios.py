"""The command that plays scenario files."""

from pathlib import Path

import pytest

from postroom.profiles.team import init_team
from postroom.testing.scenario import Status, read_file, run_file
from tests.cli.cli import Cli

HELLO = """\
title: hello
agents:
  a:
    script:
      - text: hello
steps:
  - prompt: {to: a, text: hi}
  - quiesce:
  - expect: {history: {of: a, equals: [hi, hello]}}
"""


@pytest.fixture
def hello(tmp_path: Path) -> Path:
    """A file that passes."""
    return _written(tmp_path / "hello.yaml", HELLO)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_files_that_pass_are_listed_and_end_with_zero(cli: Cli, hello: Path) -> None:
    result = cli.run("scenario", "run", hello, hello)

    assert result.code == 0
    assert result.out.splitlines() == [f"passed         {hello} (team)"] * 2 + ["2 passed"]


def test_a_file_that_fails_says_where_what_was_expected_and_what_was_seen(cli: Cli, tmp_path: Path) -> None:
    file = _written(tmp_path / "wrong.yaml", HELLO.replace("[hi, hello]", "[hi, goodbye]"))

    result = cli.run("scenario", "run", file)

    assert result.code == 1
    assert result.out.splitlines()[1:] == [
        f"{'':15}line 9, step 3, expect",
        f"{'':15}expected history of a: texts ['hi', 'goodbye']",
        f"{'':15}seen     ['hi', 'hello']",
        "1 failed",
    ]


def test_a_bad_file_plays_nothing_and_ends_with_two(cli: Cli, hello: Path, tmp_path: Path) -> None:
    bad = _written(tmp_path / "bad.yaml", HELLO.replace("prompt:", "promt:"))

    result = cli.run("scenario", "run", hello, bad)

    assert (result.code, result.out) == (2, "")
    assert f"{bad}:7: unknown key `promt`; did you mean `prompt`?" in result.err


def test_a_failure_names_the_turn_that_failed_on_the_way_to_it(cli: Cli, tmp_path: Path) -> None:
    text = HELLO.replace("text: hello", 'text: "${nobody}"')

    result = cli.run("scenario", "run", _written(tmp_path / "wrong.yaml", text))

    assert result.code == 1
    assert (
        "; a turn of a failed: script_ended: a script refers to ${nobody}, which means nothing" in result.out
    )


def test_a_tool_that_nobody_has_is_told_with_the_file(cli: Cli, tmp_path: Path) -> None:
    file = _written(tmp_path / "wrong.yaml", HELLO.replace("    script:", "    tools: [saw]\n    script:"))

    result = cli.run("scenario", "run", file)

    assert result.fails(2, "config_invalid")
    assert f"{file}: the agent `a`: tools: there is no tool or group `saw`" in result.err


def test_every_file_that_is_wrong_is_named(cli: Cli, hello: Path, tmp_path: Path) -> None:
    bad = _written(tmp_path / "bad.yaml", HELLO.replace("prompt:", "promt:"))

    result = cli.run("scenario", "run", bad, hello, tmp_path / "none.yaml")

    assert result.code == 2
    assert result.out == ""
    assert f"{bad}:7: unknown key `promt`" in result.err
    assert f"{tmp_path / 'none.yaml'}: cannot be read" in result.err


def test_a_policy_that_no_file_is_for_is_no_success(cli: Cli, hello: Path) -> None:
    result = cli.run("scenario", "run", hello, "--policy", "mesh")

    assert result.code == 2
    assert "no file is for the policy mesh (the files name team)" in result.err


def test_a_reference_that_means_nothing_is_told_with_its_line(cli: Cli, tmp_path: Path) -> None:
    for reference, words in (
        ("${kept.key}", "${kept.key} means nothing here"),
        ("${receipt:a:x}", "`x` is no number"),
        ("${times:n:x}", "`n` is no number"),
    ):
        file = _written(
            tmp_path / "loose.yaml", HELLO.replace("equals: [hi, hello]", f'lacks: "{reference}"')
        )

        result = cli.run("scenario", "run", file)

        assert result.code == 2
        assert f"{file}:9: " in result.err
        assert words in result.err


def test_what_is_not_available_fails_only_when_that_is_asked_for(cli: Cli, tmp_path: Path) -> None:
    file = _written(
        tmp_path / "later.yaml", HELLO.replace("title: hello", "title: x\npolicies: [tree, flock]")
    )

    usual, strict = cli.run("scenario", "run", file), cli.run("scenario", "run", file, "--strict")
    only = cli.run("scenario", "run", file, "--strict", "--policy", "tree")

    assert (usual.code, strict.code, only.code) == (0, 1, 0)
    assert "policy flock" in usual.out
    assert usual.out.splitlines()[-1] == "1 passed, 1 not available"


def test_programs_get_one_object_a_run_and_the_store_can_be_kept(
    cli: Cli, hello: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    result = cli.run("scenario", "run", hello, "--json", "--keep", kept)

    [outcome] = result.documents
    assert (outcome["status"], outcome["policy"], outcome["file"]) == ("passed", "team", str(hello))
    assert (kept / "hello-team" / "requests.jsonl").exists()


async def _plays_with_the_duo(tmp_path: Path, text: str) -> None:
    """Play a file beside the team that `postroom init` writes."""
    init_team(tmp_path / "duo")
    outcome = await run_file(read_file(_written(tmp_path / "duo.yaml", text)), "team", tmp_path / "run")
    assert outcome.status is Status.PASSED, outcome


async def test_a_team_folder_takes_part_with_its_own_scripts(tmp_path: Path) -> None:
    text = (
        "title: duo\nteam: duo\nsteps:\n  - prompt: {to: editor, text: a haiku}\n  - quiesce:\n"
        "  - expect: {history: {of: editor, contains: Rain on}, requests: {of: writer, count: 1}}\n"
    )

    await _plays_with_the_duo(tmp_path, text)


async def test_a_script_of_the_file_replaces_that_of_the_team(tmp_path: Path) -> None:
    text = (
        "title: duo\nteam: duo\nagents:\n  writer:\n    script: [{text: No haiku today.}]\n"
        "steps:\n  - prompt: {to: editor, text: a haiku}\n  - quiesce:\n"
        "  - expect: {history: {of: editor, contains: No haiku today.}}\n"
    )

    await _plays_with_the_duo(tmp_path, text)


async def test_a_policy_that_a_file_names_is_played_whatever_the_team_folder_says(tmp_path: Path) -> None:
    init_team(tmp_path / "duo")
    text = (
        "title: duo\nteam: duo\npolicies: [tree, branch]\n"
        "agents:\n  editor:\n    afterwards: done\n    script:\n"
        "      - calls: [{spawn: {agent: writer, description: one, prompt: write}}]\n"
        "  writer: {script: [{text: x}]}\n"
        "steps:\n  - prompt: {to: editor, text: hi}\n  - quiesce:\n"
        "  - {only: [tree], expect: {results: {of: editor, tool: delegate_subagent, are: [ok]}}}\n"
        "  - {only: [branch], expect: {results: {of: editor, tool: agent, are: [ok]}}}\n"
    )
    read = read_file(_written(tmp_path / "duo.yaml", text))

    for policy in ("tree", "branch"):
        outcome = await run_file(read, policy, tmp_path / policy)

        assert outcome.status is Status.PASSED, outcome


async def test_agents_work_in_a_copy_of_the_workspace(tmp_path: Path) -> None:
    init_team(tmp_path / "duo")
    (tmp_path / "duo" / "agents" / "writer.md").write_text(
        "---\nname: writer\ndescription: The writer.\nmodel: scripted:writer\ntools: [edit]\n---\nWrite.\n"
    )
    _written(tmp_path / "duo" / "note.txt", "rain")
    text = (
        "title: duo\nteam: duo\nworkspace: duo\nagents:\n  writer:\n    script:\n"
        "      - calls: [{write_file: {path: haiku.txt, content: Rain on the box.}}]\n      - text: done\n"
        "steps:\n  - prompt: {to: writer, text: a haiku}\n  - quiesce:\n"
        "  - expect: {files: {haiku.txt: {contains: Rain}, note.txt: {equals: rain}, x: {exists: false}}}\n"
    )

    outcome = await run_file(
        read_file(_written(tmp_path / "duo.yaml", text)), "team", tmp_path / "duo" / "run"
    )

    assert outcome.status is Status.PASSED, outcome
    assert not (tmp_path / "duo" / "haiku.txt").exists()
