"""The port between the turn loop and any model: plain values in, plain values out.

Call ids on this port are always ours; what a provider calls them stays in the provider's adapter
and in `provider_call_id` for the record. A repeated `call_0` can therefore harm nobody (O-04).

Items are named tuples, because a request is built from ten thousand of them; give them by keyword.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias

from postroom.domain.plain import Json

__all__ = [
    "DEFAULT_WINDOW",
    "AssistantItem",
    "CallItem",
    "Image",
    "Item",
    "Json",
    "Model",
    "ModelAnswer",
    "ModelRequest",
    "ModelSettings",
    "OnText",
    "Purpose",
    "ResultItem",
    "ToolSpec",
    "Usage",
    "UserItem",
]


DEFAULT_WINDOW = 128_000
"""Tokens of a model of which nobody said how much it reads."""


class UserItem(NamedTuple):
    """Text that opens or joins a turn: the person's, an agent's mail in its envelope, a notice."""

    text: str


class CallItem(NamedTuple):
    """One tool call of an answer. `arguments` is the JSON text as the model wrote it."""

    call_id: str
    tool: str
    arguments: str
    provider_call_id: str = ""


class AssistantItem(NamedTuple):
    """One committed answer: text, then calls. `provider_parts` goes back to the same vendor only."""

    text: str = ""
    calls: tuple[CallItem, ...] = ()
    provider: str = ""
    provider_parts: Json = None


class Image(NamedTuple):
    """A picture that a tool gave, as the bytes of its file. `media_type` is such as `image/png`."""

    media_type: str
    data: bytes


class ResultItem(NamedTuple):
    """The one result of one call. A model that takes no images is told of them in words."""

    call_id: str
    tool: str
    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


Item: TypeAlias = UserItem | AssistantItem | ResultItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a model is told of a tool: its arguments are a closed JSON schema object."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    returns: Mapping[str, Json] | None = None
    """The JSON schema of a result that is no refusal, for programs and people; none: its result is prose.
    Models are not told of it."""


class Purpose(StrEnum):
    """Why a model is asked."""

    TURN = "turn"
    CLASSIFICATION = "classification"
    """Whether a call may be made without asking the person."""
    SUMMARY = "summary"
    """What the older part of a conversation comes to, for when it does not fit any more."""
    REVIEW = "review"
    """Whether a call lies within what the person has asked for (systems.md 2.9)."""
    TITLE = "title"
    """A short name for a branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What a profile may set for its model. `None` leaves it to the provider."""

    max_tokens: int = 4096
    """Longest answer in tokens."""
    temperature: float | None = None
    """How freely the model words its answer, from 0 to 2."""
    context_window: int | None = None
    """Tokens that a request and its answer may have together; none = as known of the model, else 128,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request. `agent` is the profile's name, `branch` the public id of the asking branch."""

    agent: str
    branch: str
    instructions: str
    items: tuple[Item, ...]
    tools: tuple[ToolSpec, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    purpose: Purpose = Purpose.TURN
    force_text: bool = False
    covered: int = 0
    """How many older answers a summary among the items stands for; a script counts on from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request and its answer, as the provider counts them, and what they cost."""

    input_tokens: int = 0
    """All tokens of the request, those that came from a cache included."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_micros: int | None = None
    """Price in millionths of a US dollar; `None` when nobody knows the model's price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What came back. Calls carry the provider's ids only; we give ours when the answer is committed."""

    text: str = ""
    calls: tuple[CallItem, ...] = ()
    usage: Usage = field(default_factory=Usage)
    provider: str = ""
    provider_parts: Json = None


OnText: TypeAlias = Callable[[str], None]


class Model(Protocol):
    """Any model. Faults: `ModelUnavailable` is tried again, every other `ModelFault` ends the turn."""

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Answer one request; `on_text` hears the text as it streams in. Nothing here is durable."""
        ...
