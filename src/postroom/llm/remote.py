"""A vendor's model of which nothing is loaded before it is asked.

A vendor's SDK takes seconds to import; a room with ten agents that never ask it should not wait for it.
"""

import asyncio
import threading
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from postroom.extras import missing_extra
from postroom.llm.keys import Key
from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText
from postroom.llm.vendors import Vendor

# The SDKs share packages that import each other in circles. Two threads in one circle at once may see a
# half-made module, and the import system is one for the whole process.
_IMPORTING = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """All that is needed to reach one model."""

    vendor: Vendor
    model: str
    base_url: str
    idle_s: float
    key: Key = field(repr=False)


class ClosableModel(Model, Protocol):
    """A model that holds connections."""

    async def close(self) -> None:
        """Let them go."""
        ...


class _Adapter(Protocol):
    """The module `postroom.llm.vendor_NAME`."""

    def connect(self, link: Link) -> ClosableModel: ...


class RemoteModel:
    """A model over HTTP. The SDK is imported and the client made at the first request."""

    def __init__(self, link: Link) -> None:
        self._link = link
        # Written under the lock, by the first request and by close.
        self._direct: ClosableModel | None = None
        self._connecting = asyncio.Lock()

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Answer one request over the wire. Faults are those of the port."""
        direct = await self._connected()
        return await direct.request(request, on_text)

    @property
    def has_price(self) -> bool:
        """Whether the price list knows the model at its address; no request is made."""
        return _is_listed(self._link)

    async def close(self) -> None:
        """Close the HTTP connections. A later request opens new ones."""
        async with self._connecting:
            direct, self._direct = self._direct, None
        if direct is not None:
            await direct.close()

    async def _connected(self) -> ClosableModel:
        async with self._connecting:
            if self._direct is None:
                # On the event loop every other agent would wait while the SDK loads.
                self._direct = await asyncio.to_thread(connect, self._link)
            return self._direct


def connect(link: Link) -> ClosableModel:
    """Load the vendor's adapter and SDK. Raises `MissingExtra` when a part of it is not installed."""
    try:
        with _IMPORTING:
            adapter = cast("_Adapter", import_module(f"postroom.llm.vendor_{link.vendor.name}"))
    except ImportError as error:
        raise missing_extra(f"{link.vendor.name}:{link.model}", link.vendor.name) from error
    return adapter.connect(link)


class _Prices(Protocol):
    """The module `postroom.llm.prices`, which needs the SDKs."""

    def is_listed(self, model: str, base_url: str) -> bool: ...


def _is_listed(link: Link) -> bool:
    """Whether the price list knows the model; without the SDKs there is no list."""
    try:
        with _IMPORTING:
            prices = cast("_Prices", import_module("postroom.llm.prices"))
    except ImportError:
        return False
    return prices.is_listed(link.model, link.base_url)
