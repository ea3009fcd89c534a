"""Hooks on the bus: whose events they hear, what they are asked, and what a plugin subscribes to."""

import asyncio
import json
from pathlib import Path

from pluggy import HookimplMarker

from postroom.app.bus_hooks import BusHooks
from postroom.clock import SystemClock
from postroom.domain.bus import Verdict
from postroom.profiles.hook_settings import HookSettings
from postroom.testing.world import World
from postroom.tools.hooks.bus import at_place
from postroom.tools.hooks.command import CommandHook
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import Event
from postroom.tools.hooks.spec import Post
from tests.unit.tools.hook_rig import PATIENCE_S, TEAM, bus, until

hookimpl = HookimplMarker("postroom")


def command(folder: Path, text: str, *types: str, team: str = "") -> CommandHook:
    """A shell hook on the bus."""
    settings = HookSettings(name="keeper", command=text, types=types, folder=folder)
    return CommandHook(settings, team=team, env={}, clock=SystemClock())


async def _team_of(session_id: str) -> str:
    return TEAM if session_id == "s" else "/teams/other"


async def test_a_hook_of_a_team_is_asked_about_its_own_agents_only(tmp_path: Path) -> None:
    here, failed = bus(), list[HookFailure]()
    hooks = BusHooks(here, _team_of, failed.append)
    hooks.add(command(tmp_path, "echo no >&2; exit 2", "turn.stop", team=TEAM))
    hooks.add(command(tmp_path, "exit 2", "session.start", team=TEAM))

    async def asked(session_id: str) -> Verdict:
        with at_place({"session_id": session_id}):
            return await here.ask("turn.stop", {})

    mine, other = await asyncio.wait_for(asyncio.gather(asked("s"), asked("t")), PATIENCE_S)

    assert [reason.text for reason in mine.reasons] == ["no"]
    assert other.allowed
    assert failed == []
    for observer in hooks.leave():
        await observer.finish(PATIENCE_S)


async def test_a_shell_hook_reads_the_events_that_it_names_in_order(tmp_path: Path) -> None:
    """OP-89: what it exits with does not matter to an event that is only told."""
    here, failed = bus(), list[HookFailure]()
    hooks = BusHooks(here, _team_of, failed.append)
    hook = command(tmp_path, "cat >> heard; echo >> heard; exit 2", "turn.start", "turn.end", team=TEAM)
    hooks.add(hook)
    hooks.add(hook)

    for session_id, name in (
        ("s", "turn.start"),
        ("t", "turn.start"),
        ("s", "tool.after"),
        ("s", "turn.end"),
    ):
        here.emit(name, {"n": 1}, metadata={"session_id": session_id})
    for observer in hooks.leave():
        assert await observer.finish(PATIENCE_S) == 0

    lines = [json.loads(line) for line in (tmp_path / "heard").read_text(encoding="utf-8").splitlines()]
    assert [(line["hook"], line["on"]) for line in lines] == [
        ("keeper", "turn.start"), ("keeper", "turn.end"),
    ]  # fmt: skip
    assert lines[0]["event"]["payload"] == {"n": 1}
    assert lines[0]["event"]["metadata"] == {"session_id": "s"}
    assert {one.hook for one in failed} == {"keeper"}


class Listens:
    """A plugin that subscribes when the room opens, from a thread, and leaves after the first turn."""

    name = "listens"

    def __init__(self) -> None:
        self.heard: list[str] = []

    @hookimpl
    def postroom_started(self, post: Post) -> None:
        self.leave = post.subscribe(self.hear, ["turn.start", "turn.end"])

    async def hear(self, event: Event) -> None:
        """Keep the type."""
        self.heard.append(str(event["type"]))
        if event["type"] == "turn.end":
            self.leave()


async def test_a_plugin_subscribes_and_leaves(world: World) -> None:
    listens = Listens()
    world.plugins.append(listens)
    puppet = world.puppet("r")
    await world.prompt("r", "begin")
    await puppet.says("done")
    await until(lambda: len(listens.heard) == 2)
    await world.prompt("r", "again")
    await puppet.says("done")
    await world.check()

    assert listens.heard == ["turn.start", "turn.end"]
