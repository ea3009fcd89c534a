"""A team folder that is edited while a room has it open: the room says what the folder says now."""

import asyncio
import os
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.errors import ConfigFault
from postroom.profiles.team import load_team
from tests.unit.profiles.folder import write
from tests.unit.tools.hook_rig import until

AGENT = "---\nname: {name}\ndescription: An agent.\nmodel: scripted:{script}\n---\nWork.\n"


def team_of(tmp_path: Path) -> Path:
    """A team of one agent that says `one`, however often it is asked."""
    folder = tmp_path / "team"
    write(folder / "postroom.toml", 'entry = "a"\n')
    write(folder / "agents" / "a.md", AGENT.format(name="a", script="one"))
    write(folder / "scripts" / "one.yaml", "- text: one\n- text: one again\n")
    write(folder / "scripts" / "two.yaml", "- text: two\n- text: two again\n")
    return folder


async def said(room: Postroom, text: str, session: str | None = None, team: Path | None = None) -> str:
    """What came of a text."""
    prompt = await room.prompt(text, session=session, team=None if team is None else str(team))
    return (await room.wait(prompt)).text


async def test_a_new_conversation_is_with_the_team_that_its_folder_says_now(tmp_path: Path) -> None:
    """A profile, a script, and who gets the text; the list of teams says the same."""
    folder, heard = team_of(tmp_path), list[str]()
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        heard.append(await said(room, "first"))
        write(folder / "agents" / "a.md", AGENT.format(name="a", script="two"))
        heard.append(await said(room, "second"))
        write(folder / "scripts" / "two.yaml", "- text: two, but otherwise\n")
        heard.append(await said(room, "third"))
        write(folder / "agents" / "b.md", AGENT.format(name="b", script="one"))
        write(folder / "postroom.toml", 'entry = "b" # not a\n')
        [view] = await room.team_views()
        heard.append(await said(room, "fourth"))

    assert heard == ["one", "two", "two, but otherwise", "one"]
    assert [(profile.name, profile.entry) for profile in view.profiles] == [("a", False), ("b", True)]


async def test_a_conversation_goes_on_with_what_the_folder_says_when_it_is_spoken_to(tmp_path: Path) -> None:
    """Product 8: what a session does not keep from its making is read when a text is accepted."""
    folder = team_of(tmp_path)
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        prompt = await room.prompt("first")
        await room.wait(prompt)
        write(folder / "agents" / "a.md", AGENT.format(name="a", script="two"))

        assert await said(room, "second", prompt.session_id) == "two again"


async def test_a_folder_that_has_become_wrong_begins_nothing_and_ends_nothing(tmp_path: Path) -> None:
    """It is refused with the words of a check; mended, it is taken up without a new start."""
    folder = team_of(tmp_path)
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        prompt = await room.prompt("first")
        await room.wait(prompt)
        write(folder / "agents" / "a.md", "---\nname: a\n---\nWork.\n")
        with pytest.raises(ConfigFault) as refused:
            await room.prompt("second")
        with pytest.raises(ConfigFault) as found:
            load_team(folder)
        [view] = await room.team_views()
        goes_on = await said(room, "third", prompt.session_id)
        told = room.troubles()
        write(folder / "agents" / "a.md", AGENT.format(name="a", script="two"))

        assert str(refused.value) == str(found.value)
        assert (view.own, view.broken) == (True, str(found.value))
        assert goes_on == "one again"
        assert told == (f"a team cannot be read: {found.value}",)
        assert await said(room, "fourth") == "two"
        assert room.troubles() == ()


async def test_a_team_that_could_not_be_read_is_read_again_when_it_was_mended(tmp_path: Path) -> None:
    """Also one that is not the room's own, and also for a conversation that waits for it."""
    folder = team_of(tmp_path)
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        prompt = await room.prompt("first")
        await room.wait(prompt)
    profile = (folder / "agents" / "a.md").read_text(encoding="utf-8")
    write(folder / "agents" / "a.md", "---\nname: a\n---\nWork.\n")
    async with Postroom.open(tmp_path / "store") as room:
        with pytest.raises(ConfigFault):
            await room.prompt("second", team=str(folder))
        write(folder / "agents" / "a.md", profile)

        assert await said(room, "third", prompt.session_id) == "one again"
        assert await said(room, "fourth", team=folder) == "one"


async def test_turns_that_begin_while_their_profile_goes_end_in_order(tmp_path: Path) -> None:
    """The folder changes between the start of a turn and its first request, as often as it likes."""
    folder = team_of(tmp_path)
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        prompts = [await room.prompt(f"text {k}", profile="a") for k in range(10)]
        write(folder / "agents" / "a.md", AGENT.format(name="b", script="two"))
        write(folder / "postroom.toml", 'entry = "b" # not a\n')
        last = await said(room, "the last")
        (folder / "agents" / "a.md").write_text(AGENT.format(name="a", script="one"), encoding="utf-8")
        write(folder / "postroom.toml", 'entry = "a" # again\n')
        assert await said(room, "once more") == "one"
        for prompt in prompts:  # one that found no profile waits, and goes on when it is spoken to
            await room.prompt("go on", session=prompt.session_id)
        ends = [await room.wait(prompt) for prompt in prompts]

    assert last == "two"
    assert {end.ok for end in ends} == {True}


async def test_hooks_of_the_folder_are_those_that_it_names_now(tmp_path: Path) -> None:
    """One that is gone hears nothing more, one that is new hears what comes."""
    folder, heard = team_of(tmp_path), tmp_path / "heard"
    hook = '[hooks.{name}]\ncommand = "echo {name} >> {heard}"\non = ["turn.end"]\n'
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        for name in ("first", "second"):
            write(folder / "postroom.toml", 'entry = "a"\n' + hook.format(name=name, heard=heard))
            await said(room, name)
            await until(lambda name=name: heard.exists() and name in heard.read_text(encoding="utf-8"))

    assert heard.read_text(encoding="utf-8").split() == ["first", "second"]


async def test_a_folder_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    """Two texts find one team object; the files are opened once."""
    folder = team_of(tmp_path)
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        before = room.team
        await asyncio.gather(*(said(room, f"text {k}") for k in range(3)))
        is_same = room.team is before
        os.utime(folder / "postroom.toml", ns=(1, 1))
        await asyncio.gather(*(said(room, f"text {k}") for k in range(3)))

        assert is_same
        assert room.team is not before


async def test_what_is_held_goes_when_the_folder_wants_no_leave_any_more(tmp_path: Path) -> None:
    """Product 3: held mail is tried again when the configuration changes; here an agent's to its child."""
    folder, settings = team_of(tmp_path), 'entry = "a"\n[permissions]\nmessage = "{effect}"\n'
    maker = AGENT.format(name="a", script="maker").replace("model:", "delegates_to: [b]\nmodel:")
    write(folder / "agents" / "a.md", maker)
    write(folder / "agents" / "b.md", AGENT.format(name="b", script="child"))
    work = "- calls: [{agent: {prompt: go, profile: b, background: true}}]\n"
    letter = '- calls: [{send_message: {to: "${handle:b}", message: "a letter"}}]\n'
    write(folder / "scripts" / "maker.yaml", work + letter + "- text: noted\n" * 9)
    write(folder / "scripts" / "child.yaml", "- text: done\n" * 9)
    write(folder / "postroom.toml", settings.format(effect="ask"))
    async with Postroom.open(tmp_path / "store", team=folder) as room:
        prompt = await room.prompt("begin")
        await room.rest()
        asked = await room.asks()
        write(folder / "postroom.toml", settings.format(effect="allow"))
        await room.team_views()
        await room.rest()
        [child] = [agent for agent in await room.agents_view() if agent.session_id != prompt.session_id]
        read = [item.text for item in await room.history(child.session_id)]

        assert [ask.text for ask in asked] == ["a letter"]
        assert await room.asks() == []
        assert sum("a letter" in text for text in read) == 1
