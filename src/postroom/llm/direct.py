"""The vendor adapter: one streamed request over `pydantic_ai.direct`, nothing of its agent loop.

Importing this file loads a vendor's SDK; `provider.py` does so at the first request.
"""

import contextlib
from collections.abc import AsyncIterator, Generator
from urllib.parse import quote, urlsplit

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    InstructionPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import Model as VendorModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as VendorSettings

from postroom.errors import AnswerCut, ModelFault, ModelRefusedRequest
from postroom.llm.port import ModelAnswer, ModelRequest, OnText
from postroom.llm.vendor_faults import FOREIGN, fault_for
from postroom.llm.vendor_messages import to_answer, to_messages, to_tools
from postroom.rules.text import scrub

# A host that does not even accept a connection is known to be away long before a stream is silent.
_CONNECT_S = 10.0


def openai_model(name: str, *, key: str, base_url: str | None, idle_s: float) -> "DirectModel":
    """A model behind the OpenAI chat-completions wire."""
    # Our retry is the one place that tries again, so the SDK's is off.
    client = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
    vendor = OpenAIChatModel(
        name,
        provider=OpenAIProvider(openai_client=client),
        # A stream that ends without a finish reason was cut, even if HTTP thinks it is complete.
        profile=OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True),
    )
    host = f"@{urlsplit(base_url).netloc}" if base_url else ""
    return DirectModel(vendor, client=client, provider=f"openai{host}", key=key, idle_s=idle_s)


class DirectModel:
    """One vendor model behind our port."""

    def __init__(
        self, vendor: VendorModel, *, client: AsyncOpenAI, provider: str, key: str, idle_s: float
    ) -> None:
        self._vendor = vendor
        self._client = client
        self._provider = provider
        self._key = key
        self._idle_s = idle_s

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """One streamed request; foreign errors are translated, nothing is tried again.

        With `force_text` no calls are returned, even if the provider sent some.
        """
        with self._translated():
            response = await self._stream(request, on_text)
        _check_finish(response)
        return to_answer(response, provider=self._provider, with_calls=not request.force_text)

    async def close(self) -> None:
        """Close the HTTP connections."""
        await self._client.close()

    async def _stream(self, request: ModelRequest, on_text: OnText) -> ModelResponse:
        async with model_request_stream(
            self._vendor,
            to_messages(request.items, provider=self._provider),
            model_settings=self._settings(request),
            model_request_parameters=_parameters(request),
        ) as stream:
            async for text in _texts(aiter(stream)):
                on_text(scrub(text))
            return stream.get()

    def _settings(self, request: ModelRequest) -> VendorSettings:
        connect_s = min(_CONNECT_S, self._idle_s)
        settings = VendorSettings(
            max_tokens=request.settings.max_tokens,
            timeout=httpx2.Timeout(self._idle_s, connect=connect_s),
            extra_headers=_headers(request),
        )
        if request.settings.temperature is not None:
            settings["temperature"] = request.settings.temperature
        if request.force_text and request.tools:
            settings["tool_choice"] = "none"
        return settings

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except FOREIGN as error:
            raise fault_for(error, provider=self._provider, key=self._key) from error


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    instructions = [InstructionPart(content=request.instructions)] if request.instructions else []
    return ModelRequestParameters(function_tools=to_tools(request.tools), instruction_parts=instructions)


def _headers(request: ModelRequest) -> dict[str, str]:
    """Who asks and why, for proxies and for our emulator. Header values are ASCII."""
    return {
        "x-postroom-agent": quote(request.agent),
        "x-postroom-branch": quote(request.branch),
        "x-postroom-purpose": request.purpose.value,
    }


async def _texts(events: AsyncIterator[ModelResponseStreamEvent]) -> AsyncIterator[str]:
    async for event in events:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                pass
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                pass
            case _:
                continue
        if text:
            yield text


def _check_finish(response: ModelResponse) -> None:
    """Refuse to take a truncated call for a whole one, or a filtered answer for an empty one."""
    fault: ModelFault | None = None
    if response.finish_reason == "length" and any(isinstance(part, ToolCallPart) for part in response.parts):
        fault = AnswerCut(
            "the answer reached its length limit inside a tool call",
            remedy="raise max_tokens or ask for less at once",
        )
    elif response.finish_reason == "content_filter" and not response.parts:
        fault = ModelRefusedRequest("the provider's content filter withheld the answer")
    if fault is not None:
        raise fault
