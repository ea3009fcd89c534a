"""Tools of MCP servers from a team's folder to the answer of its agent."""

import json
import sys
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.errors import ConfigFault
from postroom.llm.port import ResultItem
from postroom.profiles.tool_settings import McpServer
from postroom.testing.script import Round, ScriptedModel, call, say
from tests.acceptance.mcp_rig import Rig, until

PROFILE = """---
name: planner
description: plans
model: openai:fake
tools: {tools}
---
Plan.
"""


def team(folder: Path, server: McpServer, tools: str) -> Path:
    made = folder / "team"
    (made / "agents").mkdir(parents=True)
    (made / "agents" / "planner.md").write_text(PROFILE.format(tools=tools), encoding="utf-8")
    table = f"[mcp.{server.name}]\ncommand = {json.dumps(list(server.command))}\n"
    (made / "postroom.toml").write_text(table, encoding="utf-8")
    return made


async def asked(folder: Path, made: Path, *rounds: Round) -> ScriptedModel:
    """One prompt through a room of the team."""
    model = ScriptedModel(*rounds)
    async with Postroom.open(folder / "store", team=made, models={"openai:fake": model}) as room:
        await room.wait(await room.prompt("go"), tree=True)
    model.assert_clean()
    return model


async def test_rules_for_a_server_show_and_allow_single_tools(rig: Rig) -> None:
    """CK-30, with what an MCP server calls its tools: `SERVER/TOOL`."""
    rules = '["raw__*"]\npermissions: {mcp: {"raw/p*": allow}}'
    made = team(rig.folder, rig.raw("ping", "directory"), rules)

    model = await asked(rig.folder, made, call("raw__ping"), call("raw__directory"), say("done"))

    assert [spec.name for spec in model.requests[0].tools if spec.name.startswith("raw__")] == ["raw__ping"]
    ping, directory = results(model)
    assert ping.text.startswith("pong from")
    assert directory.text.startswith("raw__directory:permission_denied:")


def results(model: ScriptedModel) -> list[ResultItem]:
    return [item for item in model.requests[-1].items if isinstance(item, ResultItem)]


@pytest.mark.parametrize("tools", ["[raw]", "[raw__ping]", '["raw__p*"]'])
async def test_an_agent_calls_the_tool_of_a_server_that_its_team_names(rig: Rig, tools: str) -> None:
    made = team(rig.folder, rig.raw("ping", "directory"), tools)

    model = await asked(rig.folder, made, call("raw__ping"), say("done"))

    offered = [spec.name for spec in model.requests[0].tools if spec.name.startswith("raw__")]
    assert offered == (["raw__directory", "raw__ping"] if tools == "[raw]" else ["raw__ping"])
    [result] = results(model)
    assert result.text.startswith("pong from")
    assert (rig.folder / "store" / "logs" / "mcp-raw.log").exists()


async def test_a_profile_stays_valid_though_its_server_is_not_there(rig: Rig) -> None:
    server = McpServer(name="raw", command=(sys.executable, "-c", "raise SystemExit(1)"))
    made = team(rig.folder, server, "[raw, raw__ping]")

    model = await asked(rig.folder, made, call("raw__unavailable"), call("raw__ping"), say("sad"))

    why, missing = results(model)
    assert "`raw` ended with exit code 1" in why.text
    assert why.is_error
    assert missing.is_error


async def test_a_changed_list_takes_effect_at_the_next_turn(rig: Rig) -> None:
    made = team(rig.folder, rig.raw("change"), "[raw]")
    model = ScriptedModel(call("raw__change"), say("one"), call("raw__added"), say("two"))

    async with Postroom.open(rig.folder / "store", team=made, models={"openai:fake": model}) as room:
        first = await room.prompt("go")
        await room.wait(first)
        log = rig.folder / "store" / "logs" / "mcp-raw.log"
        await until(lambda: "lists 2 tools" in log.read_text(encoding="utf-8"))
        await room.wait(await room.prompt("again", session=first.session_id))

    names = [[spec.name for spec in request.tools if "raw" in spec.name] for request in model.requests]
    assert names == [["raw__change"], ["raw__change"], *[["raw__added", "raw__change"]] * 2]


async def test_a_variable_that_is_not_set_is_told_before_anything_starts(rig: Rig) -> None:
    made = team(rig.folder, McpServer(name="raw", command=("run", "${POSTROOM_NOT_SET}")), "[raw]")

    with pytest.raises(ConfigFault, match=r"`raw`: `command\[1\]` names POSTROOM_NOT_SET"):
        async with Postroom.open(rig.folder / "store", team=made, models={"openai:fake": ScriptedModel()}):
            pass

    assert not (rig.folder / "store").exists()
