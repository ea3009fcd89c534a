"""Tools of MCP servers, with real servers: programs of their own, spoken to as they are in use."""

import asyncio
import subprocess
import sys

import pytest

from postroom.profiles.tool_settings import McpServer
from postroom.tools.servers.kit import McpKit
from postroom.tools.servers.stdio import PARTS_MAX
from tests.acceptance.mcp_rig import CALLER, Rig, call, tools_of, until

MIB = 1024 * 1024


# ------------------------------------------------------------------------------- what is offered


async def test_tools_of_every_server_are_there_when_the_kit_is_open(rig: Rig) -> None:
    _, url = await rig.web()

    kit = await rig.opened(rig.sdk(), McpServer(name="web", url=url), rig.raw())

    assert [toolset.group for toolset in kit.toolsets()] == ["sdk", "web", "raw"]
    assert {"sdk__add", "web__add", "raw__ping"} <= set(tools_of(kit))
    assert tools_of(kit)["sdk__add"].spec.description == "Add two numbers."
    assert not kit.troubles()
    assert (await call(kit, "sdk__add", a=1, b=2)).text == "3"
    assert (await call(kit, "web__add", a=1, b=2)).text == "3"


async def test_absurd_and_colliding_names_are_told_and_the_others_offered(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("a.b", "a_b", "x" * 80, "ünfit name", "ping", "!"))

    assert set(tools_of(kit)) == {"raw__ping", "raw___nfit_name", "raw__unavailable"}
    [told] = kit.troubles()
    assert "2 tools would be called `raw__a_b`" in told
    assert f"`{'x' * 80}` is too long" in told
    assert "`!` has no letter" in told
    stand_in = tools_of(kit)["raw__unavailable"]
    assert "raw__a_b" in stand_in.spec.description
    assert (await call(kit, "raw__unavailable")).text == told


async def test_all_pages_of_a_list_are_read(rig: Rig) -> None:
    names = [f"tool{n}" for n in range(7)]

    kit = await rig.opened(rig.raw(*names, page=2))

    assert sorted(tools_of(kit)) == [f"raw__{name}" for name in names]


async def test_a_changed_list_of_an_older_server_brings_other_tools(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("change", "ping", page=1))
    before = kit.generation

    await call(kit, "raw__change")
    await until(lambda: kit.generation > before)

    assert kit.generation == before + 1
    assert sorted(tools_of(kit)) == ["raw__added", "raw__change", "raw__ping"]


@pytest.mark.parametrize("way", ["sdk", "web"])
async def test_a_changed_list_of_a_newer_server_brings_other_tools(rig: Rig, way: str) -> None:
    server = rig.sdk() if way == "sdk" else McpServer(name="web", url=(await rig.web())[1])
    kit = await rig.opened(server)
    before = kit.generation

    await call(kit, f"{way}__more")
    await until(lambda: kit.generation > before)

    assert (await call(kit, f"{way}__extra")).text == "extra"


# ------------------------------------------------------------------------------------ the calls


async def test_a_server_gets_a_clean_environment_and_what_its_settings_name(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("environment", env={"TOKEN": "Bearer ${SECRET}", "PLAIN": "yes"}))

    text = (await call(kit, "raw__environment")).text

    assert '"PLAIN": "yes"' in text
    assert "POSTROOM_KEY" not in text
    assert "SECRET" not in text.replace("${SECRET}", "")
    # The value reached the server; on the way back its name stands for it.
    assert '"TOKEN": "Bearer ${SECRET}"' in text
    assert "sesame" not in text


async def test_headers_reach_a_server_over_http(rig: Rig) -> None:
    _, url = await rig.web()
    headers = {"X-Key": "${SECRET}"}

    kit = await rig.opened(McpServer(name="web", url=url, headers=headers))

    assert (await call(kit, "web__heard")).text == "key ${SECRET}"


async def test_a_server_runs_in_the_directory_of_the_room(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("directory"))

    assert (await call(kit, "raw__directory")).text == str(rig.folder)


async def test_an_error_of_a_tool_is_an_error_result(rig: Rig) -> None:
    kit = await rig.opened(rig.sdk())

    failed = await call(kit, "sdk__fail")
    misfit = await call(kit, "sdk__add", a="one", b=2)

    assert failed.is_error
    assert misfit.is_error
    assert "integer" in misfit.text


async def test_pictures_come_as_pictures_and_the_rest_in_words(rig: Rig) -> None:
    kit = await rig.opened(rig.sdk())

    result = await call(kit, "sdk__pictures", count=2, size=0)

    assert [image.media_type for image in result.images] == ["image/png", "image/png"]
    assert result.images[0].data.startswith(b"\x89PNG")
    assert result.text.splitlines() == [
        "look",
        "[resource notes <file:///notes.md>: the notes]",
        "[resource <file:///a.bin> of type application/zip, 3 bytes; it cannot be shown]",
    ]


@pytest.mark.parametrize("way", ["sdk", "web"])
async def test_long_text_and_large_pictures_are_cut_with_a_note(rig: Rig, way: str) -> None:
    server = rig.sdk() if way == "sdk" else McpServer(name="web", url=(await rig.web())[1])
    kit = await rig.opened(server)

    text = (await call(kit, f"{way}__letters", count=3 * MIB)).text
    result = await call(kit, f"{way}__pictures", count=2, size=3 * MIB)

    assert text.startswith("x" * MIB + "\n[cut here: the first 1 MiB of 3145728 bytes]")
    assert len(text) < MIB + 100
    assert len(result.images) == 1
    assert "a picture of 3145728 bytes is left out" in result.text


async def test_a_message_without_measure_ends_the_server_and_not_the_room(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("giant", "ping"))

    result = await call(kit, "raw__giant")

    assert result.is_error
    assert "sent a message of more than 16 MiB" in result.text
    await rig.clock.advance(1)
    await until(lambda: not kit.troubles())
    assert "pong" in (await call(kit, "raw__ping")).text


async def test_an_answer_of_parts_without_number_is_cut_before_each_is_looked_at(rig: Rig) -> None:
    """A hundred thousand parts would hold the loop for seconds."""
    kit = await rig.opened(rig.raw("ping", parts=100_000))

    result = await call(kit, "raw__ping")

    assert result.text.count("pong") == PARTS_MAX
    assert result.text.endswith("[the other 98000 parts of the answer are left out]")


async def test_a_call_that_takes_too_long_is_an_error_and_the_server_is_told(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("hold", call_s=5))
    holding = asyncio.create_task(call(kit, "raw__hold"))
    await rig.sign("holding")

    await rig.clock.advance(5)

    assert (await holding).text == "no answer within 5 s; the server was told to stop"
    await rig.sign("let go")


@pytest.mark.parametrize("way", ["sdk", "web"])
async def test_a_cancelled_call_is_cancelled_in_the_server(rig: Rig, way: str) -> None:
    server = rig.sdk() if way == "sdk" else McpServer(name="web", url=(await rig.web())[1])
    kit = await rig.opened(server)
    holding = asyncio.create_task(call(kit, f"{way}__hold"))
    await rig.sign("holding")

    holding.cancel()

    with pytest.raises(asyncio.CancelledError):
        await holding
    await rig.sign("let go")
    assert (await call(kit, f"{way}__add", a=1, b=1)).text == "2"


async def test_a_slow_call_holds_no_other_of_its_server(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("hold", "ping"))
    holding = asyncio.create_task(call(kit, "raw__hold"))
    await rig.sign("holding")

    others = await asyncio.gather(*(call(kit, "raw__ping") for _ in range(20)))

    assert all("pong" in result.text for result in others)
    assert not holding.done()
    holding.cancel()


async def test_what_a_server_asks_of_us_is_declined(rig: Rig) -> None:
    kit = await rig.opened(rig.raw("roots"))

    assert "List roots not supported" in (await call(kit, "raw__roots")).text


# ------------------------------------------------------------------------------------ the extra


BLOCKED = """
import sys
from pathlib import Path
sys.modules["mcp"] = None
from postroom.clock import SystemClock
from postroom.errors import MissingExtra
from postroom.profiles.tool_settings import McpServer
from postroom.tools.servers.kit import McpKit
about = dict(env={}, clock=SystemClock(), cwd=Path("."), logs=Path("."))
assert McpKit((), **about).toolsets() == ()
try:
    McpKit([McpServer(name="s", command=("x",))], **about)
except MissingExtra as missing:
    print(missing)
"""


def test_without_the_extra_a_configured_server_is_a_fault_with_a_remedy() -> None:
    said = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True).stdout

    assert said.strip() == (
        "missing_extra: the MCP server `s` needs the extra 'mcp' (install it: pip install 'postroom[mcp]')"
    )


async def test_a_kit_that_is_not_open_yet_says_so(rig: Rig) -> None:
    kit = rig.kit(rig.raw())

    early = tools_of(kit)["raw__unavailable"]
    before = await early.run(CALLER, {})
    await kit.open()
    after = await early.run(CALLER, {})

    assert before.is_error
    assert before.text == "the MCP server `raw` is being started"
    assert after.text == "the MCP server `raw` is there; its tools come with the next turn"


async def test_a_kit_of_no_servers_has_nothing(rig: Rig) -> None:
    kit: McpKit = await rig.opened()

    assert kit.toolsets() == ()
    assert kit.generation == 0
