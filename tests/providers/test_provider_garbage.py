"""Whatever comes over a wire, or cannot go over it, becomes a fault of ours; the next request works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from postroom.clock import SystemClock
from postroom.errors import ModelRefusedRequest, ModelUnavailable
from postroom.llm.port import Json, ToolSpec
from postroom.llm.provider import close_model, model_for
from postroom.testing.script import say
from tests.providers.provider_talk import KEYS, MODELS, Talk, connected, on_every_wire, plays

KEY = "sk-key-that-nobody-may-read"
CHUNK = b'{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": %s}'
GARBAGE = {
    "null": b"null",
    "no objects": b'3\n\ndata: []\n\ndata: "x"',
    "nested without end": b"[" * 100_000,
    "choices that are none": CHUNK % b"3",
    "a choice that is none": CHUNK % b'["x"]',
    "a delta that is none": CHUNK % b'[{"index": 0, "delta": [1], "finish_reason": null}]',
    "blocks that are none": b'{"type": "content_block_delta", "index": "x", "delta": null}',
    "a start that is none": b'{"type": "message_start", "message": 3}',
    "parts that are none": b'{"candidates": [{"content": {"role": "model", "parts": 3}}]}',
}


@asynccontextmanager
async def garbling(vendor: str, answer: bytes) -> AsyncIterator[Talk]:
    """A provider that answers every request with these bytes, as a stream of events."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        writer.write(head + b"data: " + answer + b"\n\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    env = {KEYS[vendor]: KEY, f"POSTROOM_{vendor.upper()}_BASE_URL": url}
    model = model_for(MODELS[vendor], env=env, clock=SystemClock(), idle_s=20.0)
    try:
        yield Talk(model)
    finally:
        await close_model(model)
        server.close()


@on_every_wire
@pytest.mark.parametrize("answer", GARBAGE.values(), ids=GARBAGE)
async def test_an_answer_that_makes_no_sense_may_be_asked_for_again(vendor: str, answer: bytes) -> None:
    async with garbling(vendor, answer) as talk:
        with pytest.raises(ModelUnavailable) as caught:
            await talk.ask()

    assert KEY not in str(caught.value)


@on_every_wire
async def test_a_request_that_has_no_form_on_a_wire_is_refused_before_it_is_sent(vendor: str) -> None:
    """Trying it for ten minutes would end the same way."""
    schema: dict[str, Json] = {}
    for _ in range(5_000):
        schema = {"type": "object", "properties": {"deeper": schema}}
    bottomless = ToolSpec(name="look", description="Looks.", parameters=schema)

    async with connected(plays(say("here")), vendor=vendor) as (talk, emulator):
        with pytest.raises(ModelRefusedRequest):
            await talk.ask(replace(talk.request(), tools=(bottomless,)))
        answer = await talk.ask()
        sent = await emulator.log()

    assert answer.text == "here"
    assert len(sent) == 1
