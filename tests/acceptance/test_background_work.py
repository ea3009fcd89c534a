"""Commands in the background: their end reaches the agent that began them, and stopping ends them."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import pytest

from postroom.clock import SystemClock
from postroom.llm.port import ResultItem
from postroom.profiles.tool_settings import ShellSettings
from postroom.runtime.scheduler import STOP_GRACE_S
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import PATIENCE_S, World, texts, times
from postroom.tools.shell.kit import ShellKit
from tests.acceptance.family import Worlds
from tests.pipes import heard


@dataclass(frozen=True, slots=True)
class Bench:
    """An agent with a shell, and pipes by which a test speaks with its processes."""

    world: World
    agent: Puppet
    kit: ShellKit
    folder: Path

    def background(self, command: str) -> ScriptedAnswer:
        return call("shell", command=f"cd {quote(str(self.folder))}; {command}", background=True)

    async def begin(self, command: str) -> ResultItem:
        """Have the agent begin a command; the result of its call."""
        await self.world.prompt("r", "begin")
        (result,) = await self.agent.does(self.background(command))
        return result

    async def tell(self, text: str) -> None:
        """Let the command that reads from `go` go on."""
        await asyncio.wait_for(asyncio.to_thread((self.folder / "go").write_text, text, "utf-8"), PATIENCE_S)

    async def hear(self, pipe: str) -> str:
        """What is written into a pipe until nobody holds it open any more."""
        return await heard(self.folder / pipe)

    def dead(self) -> asyncio.Task[str]:
        """A task that is done once every process that held `alive` is dead. Ask before they begin."""
        return asyncio.get_running_loop().create_task(self.hear("alive"))


HOLDS = "exec 9>alive; echo up >ready; (read x <go) & read x <go"
"""A command with a child, both waiting for a word that never comes."""


def set_up(world: World, folder: Path) -> Bench:
    kit = ShellKit(ShellSettings(allowed=True), folder / "outputs")
    (toolset,) = kit.toolsets()
    world.tool("shell", toolset.tools[0].run, parallel=False)
    agent = world.puppet("r", tools=("shell",))
    for pipe in ("go", "alive", "ready"):
        os.mkfifo(folder / pipe)
    return Bench(world, agent, kit, folder)


@pytest.fixture
async def bench(world: World, tmp_path: Path) -> AsyncIterator[Bench]:
    made = set_up(world, tmp_path)
    yield made
    await made.kit.close()


@pytest.fixture
async def real_time_bench(worlds: Worlds, tmp_path: Path) -> AsyncIterator[Bench]:
    """Where a grace is long enough for processes: time that is faked passes before they can end."""
    made = set_up(worlds(clock=SystemClock()), tmp_path)
    yield made
    await made.kit.close()


async def test_the_end_of_a_command_wakes_its_agent_once(bench: Bench) -> None:
    begun = await bench.begin("read x <go; echo heard $x")
    await bench.agent.says("I wait for it.")
    await bench.world.turn_end("r")

    await bench.tell("the news\n")
    request = await bench.agent.asked()

    assert "started in the background as process" in begun.text
    assert times("heard the news", [request]) == 1
    assert "shell: cd" in texts(request)[-1]
    assert not bench.world.events("message.refused")
    await bench.world.check()


async def test_the_end_of_a_command_joins_a_running_turn(bench: Bench) -> None:
    await bench.begin("read x <go; echo heard $x")
    await bench.tell("it\n")
    await bench.world.event("work.ended")

    await bench.agent.does(call("shell", command="echo meanwhile"))
    request = await bench.agent.asked()

    assert times("heard it", [request]) == 1
    assert len(bench.world.events("turn.started")) == 1
    await bench.world.check()


async def test_a_stop_by_the_person_ends_the_command_with_its_children(bench: Bench) -> None:
    dead = bench.dead()
    await bench.begin(HOLDS)
    await bench.hear("ready")
    await bench.agent.says("I wait for it.")
    await bench.world.turn_end("r")

    await bench.world.room.stop(bench.world.view("r").session_id)
    await dead
    await bench.world.event("work.ended")
    await bench.world.prompt("r", "what now?")
    request = await bench.agent.asked()

    assert times("it was stopped", [request]) == 1
    await bench.world.check()


async def test_a_closing_room_ends_the_command_and_the_next_start_tells_it(real_time_bench: Bench) -> None:
    bench = real_time_bench
    dead = bench.dead()
    await bench.begin(HOLDS)
    await bench.hear("ready")
    await bench.agent.says("I wait for it.")
    await bench.world.turn_end("r")

    await bench.world.close()
    await dead
    await bench.world.open()
    request = await bench.agent.asked()

    assert times("it was stopped", [request]) == 1
    await bench.world.check()


async def test_after_a_crash_the_agent_hears_that_nobody_knows_how_it_ended(bench: Bench) -> None:
    dead = bench.dead()
    await bench.begin(HOLDS)
    await bench.hear("ready")
    await bench.agent.says("I wait for it.")
    await bench.world.turn_end("r")

    await bench.world.crash()
    await bench.kit.close()
    await dead
    await bench.world.open()
    request = await bench.agent.asked()

    assert times("whether the work ended is not known", [request]) == 1
    await bench.world.check()


async def test_a_cancelled_turn_takes_its_commands_along(bench: Bench) -> None:
    dead = bench.dead()
    await bench.begin(HOLDS)
    await bench.hear("ready")

    await bench.world.room.cancel(bench.world.view("r").session_id)
    await dead
    await bench.world.event("work.ended")

    assert bench.world.events("message.accepted")[-1].facts["kind"] == "notice"
    await bench.world.check()


async def test_a_command_in_the_foreground_ends_with_its_turn(bench: Bench) -> None:
    """A stop gives tools a grace; what is then not done is cancelled."""
    dead = bench.dead()
    await bench.world.prompt("r", "begin")
    await bench.agent.starts(call("shell", command=f"cd {bench.folder}; {HOLDS}; echo no"))
    await bench.hear("ready")

    await bench.world.room.stop(bench.world.view("r").session_id)
    assert isinstance(bench.world.clock, FakeClock)
    await bench.world.clock.passes_until(dead, step_s=STOP_GRACE_S)

    await bench.world.turn_end("r")
    await bench.world.check()
