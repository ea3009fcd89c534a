"""The vendors' own SDKs against the emulator: what they send is taken, what it says they understand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import anthropic
import httpx2
import openai
import pytest
from google import genai
from google.genai.types import GenerateContentConfig, HttpOptions
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
)
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

from postroom.llm.port import Json
from postroom.testing.provider_emulator import (
    EmulatedCall,
    EmulatedRound,
    Plan,
    ProviderEmulator,
    Recorded,
    Trouble,
    Wire,
    turns,
    wired,
)
from postroom.testing.provider_emulator.plan import DEFAULT_KEY
from postroom.testing.provider_emulator.recorded import recorded
from postroom.testing.provider_emulator.server import EmulatorServer
from postroom.testing.script import say
from tests.providers.wire_talk import serving

LOOKS = tuple(EmulatedCall(tool="look", arguments=f'{{"at": "{at}"}}') for at in "xy")
THINKS = EmulatedRound(reasoning="One, two.", text="Look.", calls=LOOKS)
PARAMETERS = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="look",
            description="Looks at a place.",
            parameters_json_schema={
                "type": "object",
                "properties": {"at": {"type": "string"}},
                "additionalProperties": False,
            },
            strict=False,
        )
    ]
)
WHO = {"x-postroom-agent": "b"}
PICTURE = BinaryContent(data=b"\x89PNG\r\n\x1a\n", media_type="image/png")
Connect = Callable[[str, httpx2.AsyncClient], Model]


def by_openai(root_url: str, http: httpx2.AsyncClient) -> Model:
    client = openai.AsyncOpenAI(
        api_key=DEFAULT_KEY, base_url=f"{root_url}/v1", max_retries=0, http_client=http
    )
    return OpenAIChatModel("any", provider=OpenAIProvider(openai_client=client))


def by_anthropic(root_url: str, http: httpx2.AsyncClient) -> Model:
    client = anthropic.AsyncAnthropic(api_key=DEFAULT_KEY, base_url=root_url, max_retries=0, http_client=http)
    return AnthropicModel("claude-opus-5-5", provider=AnthropicProvider(anthropic_client=client))


def by_google(root_url: str, http: httpx2.AsyncClient) -> Model:
    provider = GoogleProvider(api_key=DEFAULT_KEY, base_url=root_url, http_client=http)
    return GoogleModel("gemini-3-pro-preview", provider=provider)


VENDORS: dict[str, Connect] = {"openai": by_openai, "anthropic": by_anthropic, "google": by_google}
EACH_VENDOR = pytest.mark.parametrize("vendor", VENDORS)


@asynccontextmanager
async def connected(plan: Plan, vendor: str) -> AsyncIterator[tuple[Model, EmulatorServer]]:
    with serving(plan) as server:
        async with httpx2.AsyncClient(headers=WHO, timeout=60) as http:
            yield VENDORS[vendor](server.url.removesuffix("/v1"), http), server


def requests(server: EmulatorServer) -> list[Recorded]:
    """What came in; none of it was refused as a bad request."""
    found = [recorded(cast("dict[str, Json]", entry)) for entry in server.desk.log()]
    assert [each.failure for each in found if each.failure] == []
    return found


async def ask(model: Model, messages: list[ModelMessage]) -> ModelResponse:
    """One streamed request, its answer added to the messages."""
    settings = AnthropicModelSettings(anthropic_cache_instructions=True)
    async with model_request_stream(
        model, messages, model_request_parameters=PARAMETERS, model_settings=settings
    ) as stream:
        async for _ in stream:
            pass
    messages.append(stream.get())
    return stream.get()


def opening() -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(content="begin")], instructions="Be brief.")]


def told(response: ModelResponse, *more: UserPromptPart) -> ModelRequest:
    returns = [
        ToolReturnPart(tool_name=part.tool_name, content=["seen", PICTURE], tool_call_id=part.tool_call_id)
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    return ModelRequest(parts=[*returns, *more], instructions="Be brief.")


@EACH_VENDOR
async def test_a_talk_with_thinking_calls_and_pictures_is_taken(vendor: str) -> None:
    async with connected(Plan(agents=turns(b=[THINKS, say("seen"), say("bye")])), vendor) as (
        model,
        server,
    ):
        messages = opening()
        first = await ask(model, messages)
        messages.append(told(first))
        second = await ask(model, messages)
        messages.append(ModelRequest(parts=[UserPromptPart(content="more")], instructions="Be brief."))
        third = await ask(model, messages)

        wires = [each.wire for each in requests(server)]

    calls = [part for part in first.parts if isinstance(part, ToolCallPart)]
    assert [call.args_as_dict() for call in calls] == [{"at": "x"}, {"at": "y"}]
    assert [part.content for part in first.parts if isinstance(part, ThinkingPart)] == ["One, two."]
    assert (first.text, second.text, third.text) == ("Look.", "seen", "bye")
    assert first.usage.input_tokens > 0
    assert wires == [vendor] * 3


@EACH_VENDOR
@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (Wire(trouble=Trouble.OVERLOAD, status=429, retry_after_s=0.25), ModelRateLimitError),
        (Wire(trouble=Trouble.OVERLOAD, status=503), ModelHTTPError),
        (Wire(trouble=Trouble.TOO_LONG), ModelContextWindowExceededError),
        (Wire(trouble=Trouble.NO_CREDIT), ModelQuotaExceededError),
    ],
    ids=["rate limit", "overload", "too long", "no credit"],
)
async def test_errors_are_told_apart(vendor: str, wire: Wire, expected: type[ModelHTTPError]) -> None:
    async with connected(Plan(agents=turns(b=[wired(say("x"), wire)])), vendor) as (model, server):
        with pytest.raises(expected) as caught:
            await ask(model, opening())
        requests(server)

    assert caught.value.retry_after == wire.retry_after_s


@EACH_VENDOR
async def test_a_repetition_of_the_same_bytes_is_read_from_the_cache(vendor: str) -> None:
    plan = Plan(agents=turns(b=[say("one")]), cache_min_tokens=1)

    async with connected(plan, vendor) as (model, server):
        read = [(await ask(model, opening())).usage.cache_read_tokens for _ in range(2)]
        first, second = requests(server)

    assert first.raw == second.raw
    assert read[0] == 0
    assert read[1] > 0


async def test_one_server_serves_all_wires_at_once_to_the_plain_sdks() -> None:
    async with ProviderEmulator(Plan(agents=turns(b=[say("I am here.")]))) as emulator:
        said = await asyncio.gather(_chat(emulator), _message(emulator), _content(emulator))

        await emulator.assert_clean()
        wires = {each.wire for each in await emulator.requests()}

    assert said == ["I am here."] * 3
    assert wires == set(VENDORS)


async def _chat(emulator: ProviderEmulator) -> str:
    async with openai.AsyncOpenAI(
        api_key=emulator.plan.key, base_url=emulator.url, default_headers=WHO
    ) as client:
        stream = await client.chat.completions.create(
            model="any", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def _message(emulator: ProviderEmulator) -> str:
    async with (
        anthropic.AsyncAnthropic(
            api_key=emulator.plan.key, base_url=emulator.root_url, default_headers=WHO
        ) as client,
        client.messages.stream(
            model="any", max_tokens=99, messages=[{"role": "user", "content": "hi"}]
        ) as stream,
    ):
        return "".join([text async for text in stream.text_stream])


async def _content(emulator: ProviderEmulator) -> str:
    options = HttpOptions(base_url=emulator.root_url, headers=WHO)
    client = genai.Client(api_key=emulator.plan.key, http_options=options).aio
    stream = await client.models.generate_content_stream(
        model="any", contents="hi", config=GenerateContentConfig(max_output_tokens=99)
    )
    said = "".join([chunk.text or "" async for chunk in stream])
    await client.aclose()
    return said
