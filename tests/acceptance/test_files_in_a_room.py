"""The file tools and the shell from a team's folder to the answer of its agent."""

import asyncio
import os
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.errors import ConfigFault
from postroom.llm.port import Image, ResultItem
from postroom.testing.script import Round, ScriptedModel, call, say

PROFILE = """---
name: ada
description: works
model: openai:fake
tools: {tools}
---
Work.
"""
PNG = b"\x89PNG\r\n\x1a\nrest"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the process stands: the directory of its sessions, with the team and the store in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def team(folder: Path, tools: str, settings: str = "") -> Path:
    made = folder / "team"
    (made / "agents").mkdir(parents=True)
    (made / "agents" / "ada.md").write_text(PROFILE.format(tools=tools), encoding="utf-8")
    (made / "postroom.toml").write_text(settings, encoding="utf-8")
    return made


async def results(folder: Path, made: Path, *rounds: Round) -> list[ResultItem]:
    """What the calls of these rounds gave, as the model saw it in the end."""
    model = ScriptedModel(*rounds, say("done"))
    async with Postroom.open(folder / "store", team=made, models={"openai:fake": model}) as room:
        await room.wait(await room.prompt("go"), tree=True)
    model.assert_clean()
    return [item for item in model.requests[-1].items if isinstance(item, ResultItem)]


@pytest.mark.parametrize(
    "tools", ["[files]", "[read, edit]", "[write_file, edit_file, search_files, read_file]"]
)
async def test_an_agent_works_on_the_files_of_its_directory(folder: Path, tools: str) -> None:
    (folder / "shot.png").write_bytes(PNG)

    written, edited, found, picture = await results(
        folder,
        team(folder, tools),
        call("write_file", path="notes/a.md", content="one\ntwo\n", make_folders=True),
        call("edit_file", path="notes/a.md", old_text="two", new_text="three"),
        call("search_files", pattern="^t", files="*.md", path="notes"),
        call("read_file", path="shot.png"),
    )

    assert "a new file" in written.text
    assert "replaced once" in edited.text
    assert found.text == "notes/a.md:2: three"
    assert picture.images == (Image(media_type="image/png", data=PNG),)
    assert (folder / "notes" / "a.md").read_text(encoding="utf-8") == "one\nthree\n"


async def test_an_agent_cannot_reach_the_store_nor_change_its_own_profile(folder: Path) -> None:
    made = team(folder, "[files]")

    read, listed, rule, profile, seen = await results(
        folder,
        made,
        call("read_file", path="store/postroom.db"),
        call("list_files", path="store"),
        call("write_file", path="team/postroom.toml", content="[shell]\nallowed = true\n"),
        call("edit_file", path="team/agents/ada.md", old_text="[files]", new_text="[files, shell]"),
        call("read_file", path="team/agents/ada.md"),
    )

    assert [r.is_error for r in (read, listed, rule, profile, seen)] == [True, True, True, True, False]
    assert "shell" not in (made / "agents" / "ada.md").read_text(encoding="utf-8")


async def test_a_shell_that_is_not_allowed_is_an_error_of_the_team(folder: Path) -> None:
    with pytest.raises(ConfigFault, match="`shell` is not allowed"):
        await results(folder, team(folder, "[shell]"))


async def test_an_agent_runs_commands_where_the_person_allows_it(folder: Path) -> None:
    made = team(folder, "[shell]", "[shell]\nallowed = true\noutput_chars_max = 1000\n")

    where, long = await results(
        folder, made, call("shell", command="pwd -P"), call("shell", command="printf '%05000d' 0")
    )

    (file,) = (folder / "store" / "outputs").iterdir()
    assert where.text == f"{folder}\n[exit code 0]"
    assert f"4000 characters left out; the whole output is in {file}" in long.text


async def test_the_end_of_a_command_in_the_background_is_heard_in_the_room(folder: Path) -> None:
    made = team(folder, "[shell]", "[shell]\nallowed = true\n")
    os.mkfifo(folder / "go")
    model = ScriptedModel(
        call("shell", command="read x <go; echo heard $x", background=True),
        say("I wait."),
        say("It has ended."),
    )

    async with Postroom.open(folder / "store", team=made, models={"openai:fake": model}) as room:
        await room.wait(await room.prompt("go"))
        await asyncio.to_thread((folder / "go").write_text, "the news\n", "utf-8")
        await model.nth_request(3)
        await room.quiesce()

    assert any("heard the news\n[exit code 0]" in item.text for item in model.requests[2].items)
