"""Attacks on hooks, and by hooks: arguments that break whoever looks at them, loops, and names that spoof."""

import json
from collections.abc import Mapping

import pytest
from pluggy import HookimplMarker

from postroom.domain.plain import Json
from postroom.profiles.hook_settings import HookSettings, Moment
from postroom.testing.script import call_raw
from postroom.tools.base import Caller, ToolResult
from postroom.tools.hooks.gate import GatedCall
from tests.acceptance.family import Worlds

hookimpl = HookimplMarker("postroom")


class Guards:
    """A guard of the kind that most people write: it looks, and its failures let calls through."""

    name = "guards"

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> str | None:
        """It says no to everything that is to be deleted."""
        return "not that" if "delete" in str(call.arguments.get("how", "")) else None


@pytest.mark.parametrize("kind", ["plugin", "shell hook"])
@pytest.mark.parametrize("levels", [20, 60, 100, 400, 900, 970, 100_000])
async def test_arguments_that_are_nested_deep_neither_pass_a_guard_nor_end_the_turn(
    worlds: Worlds, kind: str, levels: int
) -> None:
    """O-28 in kind: what a model writes may be refused, and never breaks what looks at it."""
    world = worlds()
    ran: list[Json] = []

    async def tidy(_caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        ran.append(dict(arguments))
        return ToolResult(text="tidied")

    world.tool("tidy", tidy)
    if kind == "plugin":
        world.plugins.append(Guards())
    else:
        command = "grep -q delete && { echo not that >&2; exit 2; }; exit 0"
        world.hooks.append(HookSettings(name="guards", command=command, on=(Moment.BEFORE_CALL,)))
    root = world.puppet("r", tools=("tidy",))
    await world.prompt("r", "begin")
    arguments = json.dumps({"how": "delete all", "pad": 0}).replace("0", "[" * levels + "]" * levels)

    (result,) = await root.does(call_raw("tidy", arguments))

    assert result.is_error
    assert ran == []
    await world.check()
