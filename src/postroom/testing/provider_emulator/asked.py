"""A request as the desk sees it, whatever wire it came over, and what came over the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Place
from postroom.testing.provider_emulator.prefix_cache import Segment

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One HTTP request. Names of headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call in an assistant message of a request."""

    id: str
    tool: str
    arguments: str
    at: Place = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request, its content joined to one text. A `tool` message is one result."""

    role: Role
    text: str
    at: Place
    calls: tuple[Call, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request the vendor would accept. `prefix` stands for all of it, in what signatures bind to."""

    model: str
    messages: tuple[Message, ...]
    segments: tuple[Segment, ...]
    stream: bool
    tokens: int
    with_usage: bool = True
    may_call: bool = True
    prefix: bytes = b""
    dropped: tuple[Json, ...] = field(default=())
