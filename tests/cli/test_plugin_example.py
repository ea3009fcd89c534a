"""The example of a plugin and a shell hook, run as a newcomer would (CK-37)."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.domain.plain import Json
from postroom.profiles.team import load_team
from postroom.tools.hooks.plugins import find_plugins
from tests.cli.cli import PATIENCE_S, Cli, write_team

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugins"
ANSWER = "The drafts are in old/, and the helper knows where the key is."


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example with drafts that are to be cleaned up; its `python3` is the one of the tests."""
    copy = Path(shutil.copytree(EXAMPLE, tmp_path / "example"))
    (copy / "work" / "drafts").mkdir(parents=True)
    (copy / "work" / ".hidden").touch()
    return copy


def test_the_team_is_in_order(example: Path) -> None:
    checked = Cli(example).run("check", "team")

    assert (checked.code, checked.out) == (0, ""), checked.err


def test_the_shell_hook_denies_one_command_and_changes_another(example: Path) -> None:
    cli = Cli(example / "work")

    ran = cli.run("run", "--team", "../team", "Clean up.")
    calls = _calls(cli)

    assert (ran.code, ran.out.strip()) == (0, ANSWER), ran.err
    (changed,) = [one for one in calls if one.get("changed_by")]
    assert json.loads(str(changed["arguments"])) == {"command": "ls"}
    assert json.loads(str(changed["changed_arguments"])) == {"command": "ls -A"}
    assert changed["changed_by"] == "shell-guard"
    results = "\n".join(str(one["text"]) for one in _items(cli) if one["role"] == "tool")
    assert ".hidden" in results
    assert "denied_by_hook" in results
    assert "nothing is deleted here" in results
    assert (example / "work" / "old" / "drafts").is_dir()
    assert [_fact(e, "hook") for e in cli.log() if e["kind"] == "hook.decided"] == ["shell-guard"]
    denied = next(str(e["session_id"]) for e in cli.log() if e["kind"] == "hook.decided")
    assert "→ denied_by_hook, denied by shell-guard" in cli.run("why", denied).out
    assert "lost 0, doubled 0" in cli.run("doctor").out


def test_the_plugin_stops_a_key_before_it_is_accepted_and_lists_all_mail(example: Path) -> None:
    """CK-37: what is stopped is never in a mailbox; what goes through is in the list."""
    program = (sys.executable, str(example / "run_with_audit.py"), "Clean up.")
    ran = subprocess.run(
        program, cwd=example / "work", env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, check=False,
        capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip

    lines = (example / "work" / "mail-audit.jsonl").read_text("utf-8").splitlines()
    listed = [json.loads(line) for line in lines]
    cli = Cli(example / "work")
    mails = [e for e in cli.log() if e["kind"] == "message.accepted" and _fact(e, "kind") == "mail"]
    assert (ran.returncode, ran.stdout.strip()) == (0, ANSWER), ran.stderr
    assert len(mails) == 1
    assert {"message.accepted", "message.claimed", "message.consumed"} <= {
        one["kind"] for one in listed if one["message_id"] == mails[0]["message_id"]
    }
    assert "hook.decided" in {one["kind"] for one in listed}
    assert "sk-abcdefghijklmnop1234" not in "\n".join(str(one.get("text")) for one in _of(cli, "message"))


def _of(cli: Cli, kind: str) -> list[dict[str, Json]]:
    found = cli.run("export", "--format", "jsonl", "--full").documents
    return [one for one in found if one["type"] == kind]


def _items(cli: Cli) -> list[dict[str, Json]]:
    return _of(cli, "item")


def _calls(cli: Cli) -> list[dict[str, Json]]:
    return [
        call
        for one in _items(cli)
        if isinstance(calls := one.get("calls"), list)
        for call in calls
        if isinstance(call, dict)
    ]


def _fact(event: dict[str, Json], name: str) -> Json:
    facts = event["facts"]
    return facts[name] if isinstance(facts, dict) else None


def test_the_plugin_and_the_hook_of_the_how_to_page_can_be_used(tmp_path: Path) -> None:
    page = (EXAMPLE.parents[1] / "docs" / "how-to" / "plugins.md").read_text("utf-8")
    python, settings = (
        re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("python", "toml")
    )
    made: dict[str, type[object]] = {}
    exec(python, made)  # noqa: S102 -- what a reader would paste
    team = write_team(tmp_path, {"a": "- text: Done.\n"}, settings=settings)

    plugins = find_plugins([made["Watch"]()], {}, SystemClock())
    (guard,) = load_team(team).tooling.hooks

    assert [hook.name for hook in plugins.hooks] == ["watch", "watch", "watch"]
    assert (len(plugins.starting), len(plugins.closing)) == (1, 1)
    assert (guard.tools, guard.on_failure) == (("shell", "write_*"), "deny")
