"""One streamed request over `pydantic_ai.direct`, the same for every vendor, nothing of its agent loop.

Importing this file loads half of an SDK; a `vendor_NAME.py` does so at the first request.
"""

import asyncio
import contextlib
import traceback
from collections.abc import AsyncIterator, Callable, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    InstructionPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model as VendorModel
from pydantic_ai.models import ModelRequestParameters, create_async_httpx2_client
from pydantic_ai.settings import ModelSettings as VendorSettings

from postroom.errors import Fault, ModelFault, ModelRefusedRequest, ModelUnavailable
from postroom.llm.pictures import Sight
from postroom.llm.port import AssistantItem, ModelAnswer, ModelRequest, OnText, ToolSpec
from postroom.llm.prices import usage_of
from postroom.llm.remote import Link
from postroom.llm.vendor_answers import to_answer
from postroom.llm.vendor_faults import FOREIGN, fault_for
from postroom.llm.vendor_finish import fault_of
from postroom.llm.vendor_messages import sendable_name, to_messages, to_tools
from postroom.rules.text import scrub

# A host that does not even accept a connection is known to be away long before a stream is silent.
_CONNECT_S = 10.0
_SENT: ContextVar[asyncio.Event | None] = ContextVar("_SENT", default=None)
"""Whether the request of this task has left; what goes wrong before that would go wrong again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """What is different about a vendor: its model and client, what it sees, and settings of its own."""

    vendor: VendorModel
    http: httpx2.AsyncClient
    sight: Sight
    settings: Callable[[ModelRequest], VendorSettings]
    takes_temperature: bool = True
    """Models that think choose their own; the adapter would warn on stderr and send none."""
    calls_need_tools: bool = False
    """Whether a history with calls is refused when the request has no tools."""


def http_client(link: Link) -> httpx2.AsyncClient:
    """The connections of one model. Every read may take `idle_s`; there are no redirects and no retries."""
    connect_s = min(_CONNECT_S, link.idle_s)
    client = create_async_httpx2_client(timeout=httpx2.Timeout(link.idle_s, connect=connect_s))
    client.event_hooks = {"request": [_note_sent]}
    return client


def provider_of(link: Link) -> str:
    """Whose answers these are: the vendor, and the host if it is not the vendor's own."""
    host, home = urlsplit(link.base_url), urlsplit(link.vendor.home)
    if (host.hostname, host.port) == (home.hostname, home.port):
        return link.vendor.name
    port = f":{host.port}" if host.port else ""
    return f"{link.vendor.name}@{host.hostname}{port}"


async def _note_sent(_request: httpx2.Request) -> None:
    if (sent := _SENT.get()) is not None:
        sent.set()


class DirectModel:
    """One vendor model behind our port."""

    def __init__(self, wire: Wire, link: Link) -> None:
        self._wire = wire
        self._link = link
        self._provider = provider_of(link)

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """One streamed request; foreign errors are translated, nothing is tried again.

        With `force_text` no calls are returned, even if the provider sent some.
        """
        with self._translated():
            response = await self._stream(request, on_text)
            if (fault := fault_of(response, provider=self._provider)) is not None:
                raise fault
            return to_answer(
                response,
                provider=self._provider,
                usage=usage_of(response, self._link.base_url, self._link.model),
                with_calls=not request.force_text,
            )

    async def close(self) -> None:
        """Close the HTTP connections."""
        await self._wire.http.aclose()

    async def _stream(self, request: ModelRequest, on_text: OnText) -> ModelResponse:
        async with model_request_stream(
            self._wire.vendor,
            to_messages(request.items, provider=self._provider, sight=self._wire.sight),
            model_settings=self._settings(request),
            model_request_parameters=self._parameters(request),
        ) as stream:
            async for text in _texts(aiter(stream)):
                on_text(scrub(text))
            return stream.get()

    def _settings(self, request: ModelRequest) -> VendorSettings:
        settings = VendorSettings(
            max_tokens=request.settings.max_tokens,
            # A plain number suits every SDK; the client keeps its own, shorter time to connect.
            timeout=self._link.idle_s,
            extra_headers=_headers(request),
        )
        if request.settings.temperature is not None and self._wire.takes_temperature:
            settings["temperature"] = request.settings.temperature
        if request.force_text or not request.tools:
            settings["tool_choice"] = "none"
        return self._wire.settings(request) | settings

    def _parameters(self, request: ModelRequest) -> ModelRequestParameters:
        tools = request.tools or (_called_tools(request) if self._wire.calls_need_tools else ())
        instructions = [InstructionPart(content=request.instructions)] if request.instructions else []
        return ModelRequestParameters(function_tools=to_tools(tools), instruction_parts=instructions)

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        sent = asyncio.Event()
        before = _SENT.set(sent)
        try:
            yield
        except Fault:
            raise
        except FOREIGN as error:
            # Without the foreign error beside it: its words may hold the key.
            raise fault_for(error, provider=self._provider, key=self._link.key) from None
        except Exception as error:  # outermost frame of an SDK, which believes what an answer looks like
            raise self._nonsense(error, was_sent=sent.is_set()) from None
        finally:
            _SENT.reset(before)

    def _nonsense(self, error: Exception, *, was_sent: bool) -> ModelFault:
        """Of an error that no SDK means to raise: the answer was garbled, or the request has no form."""
        # Its words may hold the key, so they and the chain of causes are left out; where it arose is safe.
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}"
        if was_sent:
            return ModelUnavailable(f"{self._provider}: the answer is not what its wire allows ({kind})")
        return ModelRefusedRequest(
            f"{self._provider}: the request cannot be put into the form of its wire ({kind})",
            remedy="a tool's schema or an odd call in the history may be the cause",
        )


def _called_tools(request: ModelRequest) -> tuple[ToolSpec, ...]:
    """One tool of the past that stands for all, if there was any; the choice is that none is called."""
    called = (call.tool for item in request.items if isinstance(item, AssistantItem) for call in item.calls)
    first = next(called, None)
    return () if first is None else (_gone(sendable_name(first)),)


def _gone(name: str) -> ToolSpec:
    return ToolSpec(name=name, description="There is no such tool any more.", parameters={"type": "object"})


def _headers(request: ModelRequest) -> dict[str, str]:
    """Who asks and why, for proxies and for our emulator. Header values are ASCII."""
    headers = {
        "x-postroom-agent": quote(request.agent),
        "x-postroom-branch": quote(request.branch),
        "x-postroom-purpose": request.purpose.value,
    }
    return headers | ({"x-postroom-covered": str(request.covered)} if request.covered else {})


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
