"""MCP servers that end, hang, flood or cannot be reached, and the end of all of them."""

import asyncio
import os
import signal
import sys

import pytest

from postroom.profiles.tool_settings import McpServer
from tests.acceptance.mcp_rig import Rig, call, tools_of, until

MIB = 1024 * 1024


async def test_a_server_killed_in_the_middle_of_a_call_is_told_and_started_again(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("hold", "child", "ping"))
    holding = asyncio.create_task(call(kit, "raw__hold"))
    pid = int((await rig.sign("holding")).split()[1])

    os.kill(pid, signal.SIGKILL)

    lost = await holding
    assert lost.is_error
    assert "`raw` was killed by signal 9" in lost.text
    assert "whether the work was done is not known" in lost.text
    meanwhile = await call(kit, "raw__ping")
    assert meanwhile.is_error
    assert "it is tried again in 1 s" in meanwhile.text
    await rig.clock.advance(1)
    await until(lambda: not kit.troubles())
    assert "pong" in (await call(kit, "raw__ping")).text


async def test_the_end_of_a_server_is_noticed_though_its_child_keeps_the_output(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("hold", "child", "ping"))
    await call(kit, "raw__child")
    holding = asyncio.create_task(call(kit, "raw__hold"))
    pid = int((await rig.sign("holding")).split()[1])

    os.kill(pid, signal.SIGKILL)

    assert "was killed by signal 9" in (await holding).text
    await rig.sign("end of child")


async def test_a_server_that_keeps_ending_is_tried_at_longer_and_longer_intervals(rig: Rig) -> None:
    kit = await rig.opened(McpServer(name="bad", command=(sys.executable, "-c", "raise SystemExit(7)")))
    said: list[str] = []

    for pause_s in (1, 2, 4, 8, 16, 32, 60, 60):
        await until(lambda: "tried again" in kit.troubles()[0])
        said.append(kit.troubles()[0].rpartition("again in ")[2])
        assert "ended with exit code 7" in kit.troubles()[0]
        await rig.clock.advance(pause_s)

    assert said == ["1 s", "2 s", "4 s", "8 s", "16 s", "32 s", "60 s", "60 s"]


async def test_a_server_that_never_answers_costs_its_start_limit_and_no_more(rig: Rig) -> None:
    kit = rig.kit(rig.raw(name="mute", mute=True, start_s=7), rig.raw())
    opening = asyncio.create_task(kit.open())
    await until(lambda: "raw__ping" in tools_of(kit))
    assert not opening.done()

    await rig.clock.advance(7)
    await opening

    result = await call(kit, "mute__unavailable")
    assert result.is_error
    assert "`mute` did not start within 7 s" in result.text
    assert "pong" in (await call(kit, "raw__ping")).text


async def test_a_program_that_is_not_there_is_told_by_the_stand_in(rig: Rig) -> None:
    kit = await rig.opened(McpServer(name="none", command=("/not/there",)))

    assert list(tools_of(kit)) == ["none__unavailable"]
    said = (await call(kit, "none__unavailable")).text
    assert "`none` cannot be started: No such file or directory: /not/there" in said
    assert "it is tried again in 1 s" in said


async def test_a_flood_on_standard_error_is_logged_within_bounds(rig: Rig) -> None:
    kit = await rig.opened(rig.raw(flood=5_000, banner="hello\n"))

    assert "pong" in (await call(kit, "raw__ping")).text
    await kit.close()
    logs = sorted(path.name for path in rig.logs.iterdir())
    assert logs == ["mcp-raw.log", "mcp-raw.log.1"]
    assert all(path.stat().st_size <= MIB for path in rig.logs.iterdir())


async def test_a_server_over_http_that_went_away_is_found_again(rig: Rig) -> None:
    program, url = await rig.web()
    kit = await rig.opened(McpServer(name="web", url=url))
    holding = asyncio.create_task(call(kit, "web__hold"))
    await rig.sign("holding")

    program.kill()

    assert (await holding).is_error
    assert (await call(kit, "web__add", a=1, b=2)).is_error
    await rig.web(int(url.split(":")[2].partition("/")[0]))
    await until(lambda: "cannot be reached" in kit.troubles()[0])
    await rig.clock.advance(1)
    await until(lambda: not kit.troubles())
    assert (await call(kit, "web__add", a=1, b=2)).text == "3"


# -------------------------------------------------------------------------------------- the end


async def test_closing_ends_servers_their_children_and_every_task(rig: Rig) -> None:
    before = asyncio.all_tasks()
    _, url = await rig.web()
    kit = await rig.opened(
        rig.raw("hold", "child"), McpServer(name="web", url=url), McpServer(name="x", command=("/x",))
    )
    await call(kit, "raw__child")
    holding = asyncio.create_task(call(kit, "raw__hold"))
    await rig.sign("holding")

    await kit.close()
    await kit.close()

    await rig.sign("end of child")
    assert (await holding).is_error
    assert {task for task in asyncio.all_tasks() - before if "postroom" in task.get_name()} == set()
    assert (await call(kit, "x__unavailable")).text == "the MCP server `x` is being closed"


async def test_a_loop_that_is_torn_down_leaves_no_server(rig: Rig) -> None:
    kit = rig.kit(rig.raw("hold", "child"))

    async def begin() -> None:
        await kit.open()
        await call(kit, "raw__child")

    await asyncio.to_thread(asyncio.run, begin())

    await rig.sign("end of child")


async def test_an_opening_that_is_cancelled_leaves_no_server(rig: Rig) -> None:
    kit = rig.kit(rig.raw(name="mute", mute=True))
    opening = asyncio.create_task(kit.open())
    await until((rig.logs / "mcp-mute.log").exists)

    opening.cancel()

    with pytest.raises(asyncio.CancelledError):
        await opening
    assert kit.troubles() == ("the MCP server `mute` is being closed",)
