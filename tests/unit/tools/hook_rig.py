"""Hooks for tests: plugins from functions, commands from a few lines of shell, and a call to ask about."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from postroom.clock import Clock
from postroom.domain.plain import Json
from postroom.ids import SystemIds
from postroom.profiles.hook_settings import HookSettings, Moment, OnFailure
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.asking import HookGate
from postroom.tools.hooks.bus import Bus
from postroom.tools.hooks.command import CommandHook
from postroom.tools.hooks.gate import GatedCall, GateVerdict
from postroom.tools.hooks.hook import Hook
from postroom.tools.hooks.plugin import PythonHook, Treatment

PATIENCE_S = 60.0
TEAM = "/teams/one"


def gated(tool: str = "shell", **arguments: Json) -> GatedCall:
    """A call of an agent of the team `TEAM`."""
    given = arguments or {"command": "ls"}
    return GatedCall(
        session_id="s", branch_id="b", turn_id="t", call_id="c_1_1_0", agent="writer", tool=tool,
        arguments=given, action="shell", resource="ls", body="ls",
    )  # fmt: skip


def plugin(
    function: Callable[..., object],
    *,
    name: str = "plugin",
    clock: Clock | None = None,
    timeout_s: float = 2.0,
    on_failure: OnFailure = OnFailure.ALLOW,
    moment: Moment = Moment.BEFORE_CALL,
) -> PythonHook:
    """A hook of a plugin."""
    treatment = Treatment(name=name, timeout_s=timeout_s, on_failure=on_failure)
    return PythonHook(function, treatment, clock or FakeClock(), moment)


def command(
    folder: Path,
    text: str,
    *,
    name: str = "keeper",
    clock: Clock | None = None,
    timeout_s: float = 60.0,
    on_failure: OnFailure = OnFailure.ALLOW,
    on: Sequence[Moment] = (Moment.BEFORE_CALL,),
    tools: Sequence[str] = ("*",),
    events: Sequence[str] = ("*",),
    env: Sequence[str] = (),
    team: str = "",
) -> CommandHook:
    """A shell hook."""
    settings = HookSettings(
        name=name, command=text, on=tuple(on), tools=tuple(tools), events=tuple(events), env=tuple(env),
        timeout_s=timeout_s, on_failure=on_failure, folder=folder,
    )  # fmt: skip
    return CommandHook(settings, team=team, env=os.environ, clock=clock or FakeClock())


def gate(*hooks: Hook) -> HookGate:
    """All of these as one gate."""
    return HookGate(lambda: hooks, _team_of, bus())


def bus(clock: Clock | None = None, warned: list[str] | None = None) -> Bus:
    """A bus on which nobody listens yet."""
    told = [] if warned is None else warned
    return Bus(clock or FakeClock(), SystemIds().public, told.append)


async def ask(*hooks: Hook, call: GatedCall | None = None) -> GateVerdict:
    """What these hooks make of a call."""
    return await asyncio.wait_for(gate(*hooks).before_call(call or gated()), PATIENCE_S)


async def until(is_so: Callable[[], bool], once: Callable[[], Awaitable[None]] | None = None) -> None:
    """Let the loop run until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await (once() if once else asyncio.sleep(0))


async def _team_of(session_id: str) -> str:
    assert session_id == "s"
    return TEAM
