"""Hooks of teams, of the person and of plugins in one room: whose they are, their order, and their end."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from pluggy import HookimplMarker

from postroom.app import Postroom
from postroom.config import read_config
from postroom.domain.plain import Json
from postroom.errors import ConfigFault
from postroom.profiles.hook_settings import HookSettings, Moment, OnFailure
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.hook import Event
from postroom.tools.hooks.spec import Said
from tests.acceptance.family import delegate, send

hookimpl = HookimplMarker("postroom")


def changing(folder: Path, word: str) -> str:
    """A command that adds a word to the argument `how`."""
    script = folder / f"{word}.py"
    script.write_text(
        "import json, sys\n"
        "given = json.load(sys.stdin)['call']['arguments']\n"
        f"print(json.dumps({{'arguments': {{'how': given['how'] + ' {word}'}}}}))\n",
        encoding="utf-8",
    )
    return f"{sys.executable} {script}"


def hook(name: str, command: str, *, on_failure: OnFailure = OnFailure.ALLOW) -> HookSettings:
    """A shell hook that is asked about every call."""
    return HookSettings(name=name, command=command, on=(Moment.BEFORE_CALL,), on_failure=on_failure)


async def _echo(_: Caller, arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text=json.dumps(arguments))


class Adds:
    """A plugin that adds its word."""

    name = "adds"

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        return {"how": f"{call.arguments['how']} plugin"}


class Holds:
    """A plugin that holds every call until it is let go."""

    name = "holds"

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    @hookimpl
    async def postroom_before_call(self) -> None:
        self.asked.set()
        await asyncio.Event().wait()


async def tidied(world: World, *calls: ScriptedAnswer) -> list[str]:
    """What the tool `tidy` says to the calls of an agent."""
    world.tool("tidy", _echo)
    root = world.puppet("r", tools=["tidy"])
    await world.prompt("r", "begin")
    return [result.text for result in await root.does(*(calls or (call("tidy", how="well"),)))]


async def test_hooks_of_the_team_come_before_plugins_and_each_sees_the_change(
    world: World, tmp_path: Path
) -> None:
    world.hooks += [hook("first", changing(tmp_path, "one")), hook("second", changing(tmp_path, "two"))]
    world.plugins.append(Adds())

    (text,) = await tidied(world)
    await world.check()

    assert text == (
        '{"how": "well one two plugin"}\n[the arguments of this call were changed by: first, second, adds]'
    )


async def test_a_hook_denies_whatever_is_called(world: World) -> None:
    """Also delegations and questions: nothing of them is left."""
    world.hooks.append(hook("no", "exit 2"))
    root = world.puppet("r", delegates_to=["k"])
    world.puppet("k")
    await world.prompt("r", "begin")

    results = await root.does(delegate("k"), call("ask_user", question="may I?"))
    views, asks = world.views(), await world.room.asks()
    await world.check()

    assert ["denied_by_hook" in result.text for result in results] == [True, True]
    assert (len(views), asks) == (1, [])


async def test_a_failure_that_lets_a_call_through_is_in_the_log_and_told(world: World) -> None:
    world.hooks += [hook("broken", "exit 1"), hook("strict", "exit 3", on_failure=OnFailure.DENY)]

    (text,) = await tidied(world)
    noted = [
        (event.facts["hook"], event.facts["verdict"], event.facts["code"])
        for event in world.events("hook.decided")
    ]
    await world.check()

    assert "denied_by_hook" in text
    assert "the hook failed: exit code 3" in text
    assert noted == [
        ("broken", "failed", "hook_failed"), ("strict", "failed", "hook_failed"), ("strict", "deny", ""),
    ]  # fmt: skip


async def test_a_stop_ends_a_call_that_a_hook_holds(world: World) -> None:
    holds = Holds()
    world.plugins.append(holds)
    world.tool("tidy", _echo)
    root = world.puppet("r", tools=["tidy"])
    await world.prompt("r", "begin")
    await root.starts(call("tidy", how="well"))
    await holds.asked.wait()

    await world.room.stop(world.view("r").session_id)
    end = await world.turn_end("r")
    await world.check()

    assert end.facts["state"] == "stopped"


async def test_a_close_ends_a_call_that_a_hook_holds_and_leaves_no_task_behind(world: World) -> None:
    """DS-26."""
    holds, before = Holds(), asyncio.all_tasks()
    world.plugins += [holds, _Listens()]
    world.tool("tidy", _echo)
    root = world.puppet("r", tools=["tidy"])
    await world.prompt("r", "begin")
    await root.starts(call("tidy", how="well"))
    await holds.asked.wait()

    await world.close()
    left = asyncio.all_tasks() - before
    if left:
        await asyncio.wait(left)
    world.plugins.clear()
    await world.open()
    await world.check()

    assert all(task.done() for task in left)


class _Listens:
    """A plugin that is told of everything."""

    name = "listens"

    @hookimpl
    def postroom_event(self, event: Event) -> None: ...


@pytest.mark.parametrize("listens", [True, False])
async def test_the_log_is_followed_only_while_somebody_is_told_of_it(world: World, listens: bool) -> None:
    world.plugins.append(_Listens() if listens else Adds())
    world.puppet("r")
    await world.prompt("r", "begin")

    follow = [task for task in asyncio.all_tasks() if "LogFollower._follow" in str(task.get_coro())]
    await world.check()

    assert len(follow) == listens


async def test_an_observer_that_fails_is_among_the_troubles(world: World) -> None:
    world.plugins.append(_Fails())
    world.puppet("r")
    await world.prompt("r", "begin")
    room = world.room
    await world.check()

    assert room.troubles() == ("the hook fails failed: ValueError: not today",)


class _Fails:
    """An observer that raises."""

    name = "fails"

    @hookimpl
    async def postroom_event(self) -> None:
        raise ValueError("not today")


class _Redirects:
    """Turns all mail to somebody else."""

    name = "redirects"

    def __init__(self) -> None:
        self.to = ""

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        return {**call.arguments, "to": self.to} if call.tool == "send_message" else None


async def test_leave_for_one_recipient_is_none_for_the_one_that_a_hook_names(world: World) -> None:
    """A changed recipient is resolved and authorised again: the person is asked for that one, too."""
    redirects = _Redirects()
    world.plugins.append(redirects)
    ask = Rule(action="message", effect=Effect.ASK, pattern="child")
    root = world.puppet("r", delegates_to=["k", "l"], rules=[ask])
    children = [world.puppet("k"), world.puppet("l")]
    await world.prompt("r", "begin")
    await root.does(delegate("k"), delegate("l"))
    for child in children:
        await child.asked()
    redirects.to = world.handle("l")
    await root.starts(send(world.handle("k"), "psst"))

    first = await world.event("ask.opened")
    (asked,) = await world.room.asks()
    await world.room.approve(asked.ask_id)
    second = await world.event("ask.opened", 2)
    (again,) = await world.room.asks()
    await world.room.deny(again.ask_id, "not to that one")
    await root.asked()
    mails = [event for event in world.events("message.accepted") if event.facts["kind"] == "mail"]
    await world.check()

    assert first.facts["recipient"] != second.facts["recipient"]
    assert asked.to.startswith("k_")
    assert again.to.startswith("l_")
    assert mails == []


def _team(folder: Path, command: str) -> Path:
    """A team of one agent that tidies twice, with a hook."""
    (folder / "agents").mkdir(parents=True)
    (folder / "scripts").mkdir()
    (folder / "postroom.toml").write_text(
        f"[hooks.keeper]\ncommand = '{command}'\non = ['tool_before_call', 'event']\n", encoding="utf-8"
    )
    (folder / "agents" / "a.md").write_text(
        "---\nname: a\ndescription: A.\nmodel: scripted:a\ntools: [tidy]\n---\nTidy.\n", encoding="utf-8"
    )
    (folder / "scripts" / "a.yaml").write_text(
        "".join('- calls: [{ tidy: { how: "well" } }]\n- text: Done.\n' for _ in range(2)), encoding="utf-8"
    )
    return folder


def tidy(how: str) -> str:
    """Tidy up."""
    return f"tidied {how}"


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def _results(room: Postroom, session: str) -> list[str]:
    return [item.text for item in await room.history(session) if item.role == "tool"]


async def test_a_team_that_is_read_later_brings_its_hooks_with_it(tmp_path: Path) -> None:
    """Its hooks stand before its first call, and look at its own agents only."""
    keeper = _team(tmp_path / "keeper", "mkdir -p seen; cat > seen/$$; exit 2")
    plain = _team(tmp_path / "plain", "true")
    async with Postroom.open(tmp_path / "store", team=keeper, tools=[tidy]) as room:
        prompt = await room.prompt("tidy")
        await room.wait(prompt, tree=True)
        first = await _results(room, prompt.session_id)
    for one in _files(keeper / "seen"):
        one.unlink()
    async with Postroom.open(tmp_path / "store", team=plain, tools=[tidy]) as room:
        other = await room.prompt("tidy")
        await room.wait(other, tree=True)
        await room.wait(await room.prompt("again", session=prompt.session_id), tree=True)
        later, free = await _results(room, prompt.session_id), await _results(room, other.session_id)

    seen = [json.loads(one.read_text("utf-8")) for one in _files(keeper / "seen")]
    assert ["denied_by_hook" in text for text in later] == [True, True]
    assert first == later[:1]
    assert free == ["tidied well"]
    assert {one.get("event", one.get("call"))["session_id"] for one in seen} == {prompt.session_id}
    assert "turn.ended" in {one["event"]["kind"] for one in seen if one["on"] == "event"}


async def test_the_person_s_hooks_have_the_last_word(tmp_path: Path) -> None:
    """They see what a team's hooks have made, and look at every team."""
    team = _team(tmp_path / "team", changing(tmp_path, "team"))
    file = tmp_path / "config.toml"
    command = "grep -q team || exit 0; echo seen >&2; exit 2"
    file.write_text(f"[hooks.mine]\ncommand = '{command}'\non = ['tool_before_call']\n", encoding="utf-8")
    config = read_config(environ={}, person_file=file)
    async with Postroom.open(tmp_path / "store", team=team, tools=[tidy], config=config) as room:
        prompt = await room.prompt("tidy")
        await room.wait(prompt, tree=True)
        (text,) = await _results(room, prompt.session_id)

    assert "a hook denied this call by mine: seen" in text


def test_a_plugin_that_cannot_be_used_keeps_a_room_from_opening(tmp_path: Path) -> None:
    async def enter() -> None:
        async with Postroom.open(tmp_path / "store", plugins=[object()]):
            pass

    with pytest.raises(ConfigFault):
        asyncio.run(enter())
    assert not (tmp_path / "store").exists()
