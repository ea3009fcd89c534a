"""What is different about each vendor's wire, as its emulator saw it."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest

from postroom.llm.keys import Key
from postroom.llm.port import Image, Json, ModelSettings
from postroom.llm.remote import Link, RemoteModel
from postroom.llm.vendors import OPENAI
from postroom.testing.provider_emulator import ProviderEmulator
from postroom.testing.script import call, say
from tests.providers.provider_talk import LOOK, MODELS, Talk, connected, messages, on_every_wire, plays

PNG = Image("image/png", b"\x89PNG\r\n\x1a\n pixels")
PIXELS = "iVBORw0KGgogcGl4ZWxz"
SETTINGS = ModelSettings(max_tokens=77, temperature=0.5)
MARK = {"type": "ephemeral", "ttl": "5m"}


async def asked_once(vendor: str, model: str = "") -> Mapping[str, Json]:
    """The body of one request with settings and a tool."""
    async with connected(plays(say("ok")), vendor=vendor, model=model) as (talk, emulator):
        await talk.ask(replace(talk.request(), settings=SETTINGS))
        (sent,) = await emulator.bodies("b")
    return sent


async def test_the_openai_wire_carries_settings_and_tools() -> None:
    sent = await asked_once("openai")

    # The name that every server of this kind knows; the vendor itself is asked with the newer one.
    assert sent["max_tokens"] == 77
    assert sent["temperature"] == 0.5
    assert sent["stream"] is True
    function = {"name": "look", "description": "Looks at a place.", "parameters": LOOK.parameters}
    assert sent["tools"] == [{"type": "function", "function": function}]
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "begin"},
    ]
    assert "prompt_cache_key" not in sent


async def test_the_anthropic_wire_carries_settings_tools_and_marks_for_the_cache() -> None:
    sent = await asked_once("anthropic")

    assert sent["max_tokens"] == 77
    assert sent["stream"] is True
    assert sent["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert sent["tools"] == [
        {
            "name": "look",
            "description": "Looks at a place.",
            "input_schema": LOOK.parameters,
            "cache_control": MARK,
        }
    ]
    assert sent["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "begin", "cache_control": MARK}]}
    ]


async def test_the_google_wire_carries_settings_and_tools() -> None:
    sent = await asked_once("google")

    assert sent["generationConfig"] == {
        "maxOutputTokens": 77,
        "temperature": 0.5,
        "responseModalities": ["TEXT"],
    }
    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}], "role": "user"}
    assert sent["contents"] == [{"parts": [{"text": "begin"}], "role": "user"}]


@on_every_wire
async def test_a_limit_of_the_answer_is_always_sent(vendor: str) -> None:
    async with connected(plays(say("ok")), vendor=vendor) as (talk, emulator):
        await talk.ask()
        (sent,) = await emulator.requests("b")

    assert b"4096" in sent.raw


@pytest.mark.parametrize(
    ("model", "is_sent"),
    [
        ("openai:gpt-4o", True),
        ("openai:gpt-5.2", True),
        ("openai:llama3.2", True),
        ("openai:o3", False),
        ("openai:gpt-5-mini", False),
        ("openai:gpt-5.5", False),
        ("anthropic:claude-haiku-4-5", True),
        ("anthropic:claude-haiku-5-5", False),
    ],
)
async def test_a_model_that_thinks_is_sent_no_temperature_and_nobody_is_warned(
    model: str, is_sent: bool
) -> None:
    sent = await asked_once(model.partition(":")[0], model)

    assert ("temperature" in sent) is is_sent


async def looked(talk: Talk, emulator: ProviderEmulator) -> str:
    """The body of the request that follows a result with a picture, clean in the vendor's eyes."""
    talk.commit(await talk.ask(), PNG, Image("image/svg+xml", b"<svg/>"))
    await talk.ask()
    await emulator.assert_clean()
    return (await emulator.requests("b"))[-1].raw.decode()


@on_every_wire
async def test_a_picture_is_shown_and_one_that_cannot_be_is_told(vendor: str) -> None:
    plan = plays(call("look", at="a"), say("I see."))

    async with connected(plan, vendor=vendor) as (talk, emulator):
        sent = await looked(talk, emulator)

    assert sent.count(PIXELS) == 1
    assert "[With this came a picture, image/svg+xml, 6 bytes, which you cannot see.]" in sent


async def test_on_the_openai_wire_pictures_follow_the_results() -> None:
    async with connected(plays(call("look", at="a"), say("I see."))) as (talk, emulator):
        await looked(talk, emulator)
        sent = (await emulator.bodies("b"))[-1]

    assert [each["role"] for each in messages(sent)[-3:]] == ["tool", "user", "user"]
    assert messages(sent)[-2]["content"] == [
        {"type": "text", "text": "What look gave with the result of c_17_0_0:"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXELS}"}},
    ]


async def test_a_blind_model_on_the_openai_wire_is_told_of_pictures() -> None:
    async with connected(plays(call("look", at="a"), say("ok")), model="openai:any") as (talk, emulator):
        sent = await looked(talk, emulator)

    assert PIXELS not in sent
    assert "image/png" in sent


async def test_the_vendor_of_the_openai_wire_is_asked_with_the_newer_limit_and_a_key_for_its_cache() -> None:
    async with ProviderEmulator(plays(say("ok"))) as emulator:
        # The emulator's address as the vendor's own: what is sent there and nowhere else.
        vendor = replace(OPENAI, home=emulator.url)
        key = Key(emulator.plan.key)
        link = Link(vendor=vendor, model="gpt-5-mini", base_url=emulator.url, idle_s=20.0, key=key)
        model = RemoteModel(link)
        answer = await Talk(model).ask()
        await model.close()

        await emulator.assert_clean()
        (sent,) = await emulator.bodies("b")

    assert answer.provider == "openai"
    assert sent["max_completion_tokens"] == 4096
    assert sent["prompt_cache_key"] == "branch-1"
    assert "max_tokens" not in sent


ALL_AT_ONCE = """
import asyncio, os
from postroom.clock import SystemClock
from postroom.llm.port import ModelRequest, UserItem
from postroom.llm.provider import close_model, model_for

async def ask(name):
    model = model_for(name, env=os.environ, clock=SystemClock())
    request = ModelRequest(agent="b", branch="x", instructions="", items=(UserItem(text="hi"),))
    answer = await model.request(request, lambda _: None)
    await close_model(model)
    return answer.text

async def main(names):
    print(*await asyncio.gather(*map(ask, names)))

asyncio.run(main({names}))
"""


async def test_the_sdks_of_all_vendors_may_be_loaded_at_the_same_moment() -> None:
    program = ALL_AT_ONCE.replace("{names}", repr(list(MODELS.values())))

    async with ProviderEmulator(plays(say("loaded"))) as emulator:
        asking = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, env=os.environ | emulator.env(), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asking.communicate()

    assert out.decode().split() == ["loaded"] * len(MODELS)
