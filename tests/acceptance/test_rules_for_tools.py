"""Rules of a profile and of the settings over the real file tools and the shell, from the files of a team."""

from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.llm.port import ResultItem
from postroom.testing.script import Round, ScriptedModel, call, say

PROFILE = """---
name: ada
description: works
model: openai:fake
tools: [files, shell]
{rules}
---
Work.
"""
SHELL = "[shell]\nallowed = true\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the process stands, with something in it that is not for everybody."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "a.txt").write_text("needle in keys\n", encoding="utf-8")
    (tmp_path / "open.txt").write_text("needle in the open\n", encoding="utf-8")
    return tmp_path.resolve()


async def results(folder: Path, rules: str, settings: str, *rounds: Round, mode: str = "ask") -> list[str]:
    """What the calls of these rounds gave, as the model saw it in the end."""
    made = folder / "team"
    (made / "agents").mkdir(parents=True)
    (made / "agents" / "ada.md").write_text(PROFILE.format(rules=rules), encoding="utf-8")
    (made / "postroom.toml").write_text(f'mode = "{mode}"\n{SHELL}{settings}', encoding="utf-8")
    model = ScriptedModel(*rounds, say("done"))
    async with Postroom.open(folder / "store", team=made, models={"openai:fake": model}) as room:
        await room.wait(await room.prompt("go"), tree=True)
    model.assert_clean()
    return [item.text for item in model.requests[-1].items if isinstance(item, ResultItem)]


@pytest.mark.parametrize(
    ("rules", "settings"),
    [
        ('permissions: {read: {"*": allow, "keys/*": deny}}', ""),
        ("", '[permissions.read]\n"keys/*" = "deny"\n'),
        ("permissions: {read: allow}", '[permissions.read]\n"keys/*" = "ask"\n"*" = "allow"\n'),
    ],
)
async def test_a_guarded_file_is_neither_read_nor_come_upon(folder: Path, rules: str, settings: str) -> None:
    """CK-30, at what a search and a list find, too."""
    found, listed, read = await results(
        folder,
        rules,
        settings,
        call("search_files", pattern="needle"),
        call("list_files", path="keys"),
        call("read_file", path="open.txt"),
    )

    assert found.startswith("open.txt:1: needle in the open\n[")
    assert "left out by your rules: 1" in found
    assert listed == "(the folder is empty)\n[left out by your rules: 1]"
    assert "needle in the open" in read


async def test_a_path_is_judged_by_where_it_leads(folder: Path) -> None:
    denied = 'permissions: {read: {"*": allow, "keys/*": deny}}'
    paths = ("keys/a.txt", "./keys//a.txt", "x/../keys/a.txt", str(folder / "keys" / "a.txt"))

    for text in await results(folder, denied, "", *(call("read_file", path=path) for path in paths)):
        assert text.startswith("read_file:permission_denied:")


async def test_leave_for_a_folder_is_leave_for_what_the_same_rule_guards(folder: Path) -> None:
    """Where all reading asks, an approved search finds what it was approved for."""
    rules = 'permissions: {read: {"*": ask, "keys/*": deny}}'

    (found,) = await results(folder, rules, "", call("search_files", pattern="needle"), mode="yolo")

    assert found.startswith("open.txt:1: needle in the open\n")
    assert "needle in keys" not in found


async def test_a_pattern_for_commands_covers_one_command(folder: Path) -> None:
    rules = 'permissions: {shell: {"echo *": allow}}'
    commands = ("echo hi", "echo hi; touch x", "echo $(touch x)", "touch x", "echo hi\ntouch x")

    done, *refused = await results(folder, rules, "", *(call("shell", command=one) for one in commands))

    assert "hi" in done
    assert all(text.startswith("shell:permission_denied:") for text in refused)
    assert not (folder / "x").exists()


async def test_the_settings_narrow_what_a_tool_implies(folder: Path) -> None:
    settings = '[permissions]\nwrite = "deny"\n[permissions.shell]\n"*" = "deny"\n"echo *" = "allow"\n'

    written, done, refused = await results(
        folder,
        "",
        settings,
        call("write_file", path="new.txt", content="x"),
        call("shell", command="echo hi"),
        call("shell", command="touch x"),
    )

    assert written.startswith("write_file:permission_denied:")
    assert "hi" in done
    assert refused.startswith("shell:permission_denied:")
    assert not (folder / "new.txt").exists()
