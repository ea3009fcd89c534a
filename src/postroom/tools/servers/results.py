"""What a server answered, as the result of a call: text, pictures, and words for all the rest."""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Final, cast

from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from postroom.llm.pictures import KNOWN_TYPES
from postroom.llm.port import Image, Json
from postroom.rules.text import is_blank, scrub
from postroom.tools.base import ToolResult
from postroom.tools.servers.words import Mask

TEXT_BYTES_MAX: Final = 1024 * 1024
IMAGES_BYTES_MAX: Final = 5 * 1024 * 1024
"""Of all pictures of one result together; no vendor takes a larger one."""
_NO_OUTPUT: Final = "(no output)"


class _Reader:
    """Collects the parts of one result."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        """Text that the server meant as text."""
        self.parts: list[str] = []
        """All text, with words for what is none."""
        self.images: list[Image] = []
        self._held_bytes = 0

    def read(self, block: ContentBlock) -> None:
        match block:
            case TextContent(text=text):
                self.texts.append(text)
                self.parts.append(text)
            case ImageContent(data=data, mime_type=kind):
                self._picture(data, kind)
            case AudioContent(data=data, mime_type=kind):
                self.parts.append(f"[a sound of type {kind}, {_bytes(data)}; it cannot be shown]")
            case ResourceLink(uri=uri, name=name, description=description):
                about = f": {description}" if description else ""
                self.parts.append(f"[resource {name} <{uri}>{about}]")
            case EmbeddedResource(resource=resource):
                self._resource(resource)

    def _resource(self, resource: TextResourceContents | BlobResourceContents) -> None:
        kind = resource.mime_type or "unknown"
        if isinstance(resource, TextResourceContents):
            self.parts.append(f"[resource <{resource.uri}>]\n{resource.text}")
        elif kind in KNOWN_TYPES:
            self.parts.append(f"[resource <{resource.uri}>]")
            self._picture(resource.blob, kind)
        else:
            size = _bytes(resource.blob)
            self.parts.append(f"[resource <{resource.uri}> of type {kind}, {size}; it cannot be shown]")

    def _picture(self, data: str, kind: str) -> None:
        if kind not in KNOWN_TYPES:
            self.parts.append(f"[a picture of type {kind}, {_bytes(data)}; it cannot be shown]")
        elif self._held_bytes + len(data) * 3 // 4 > IMAGES_BYTES_MAX:
            limit = f"{IMAGES_BYTES_MAX // 1024**2} MiB"
            self.parts.append(f"[a picture of {_bytes(data)} is left out: more than {limit} in one result]")
        elif (decoded := _decoded(data)) is None:
            self.parts.append(f"[a picture of type {kind} is left out: it is no base64]")
        else:
            self.images.append(Image(media_type=kind, data=decoded))
            self._held_bytes += len(decoded)


def read_result(answer: CallToolResult, mask: Mask) -> ToolResult:
    """The answer as the agent reads it, without secrets. Nothing is left out without a word for it."""
    reader = _Reader()
    for block in answer.content:
        reader.read(block)
    structured = cast("Json", answer.structured_content)
    if structured is not None and not _is_told(structured, reader.texts):
        reader.parts.append(json.dumps(structured, ensure_ascii=False))
    text = _cut(mask(scrub("\n".join(reader.parts))))
    if is_blank(text):
        text = f"[{len(reader.images)} pictures]" if reader.images else _NO_OUTPUT
    return ToolResult(text=text, is_error=answer.is_error, images=tuple(reader.images))


def _is_told(structured: Json, texts: list[str]) -> bool:
    """Whether the text says the structured content already, as the protocol asks of servers.

    The official SDK puts a function's plain value under the one key `result`, and each entry of a
    list into a text of its own.
    """
    inner: Json = structured
    if isinstance(structured, dict) and set(structured) == {"result"}:
        inner = structured["result"]
    if isinstance(inner, str) and texts == [inner]:
        return True
    said = [_parsed(text) for text in texts]
    if any(value in (structured, inner) for value in said):
        return True
    return isinstance(inner, list) and [*_flat(said, texts)] == inner


def _flat(said: list[Json], texts: Iterable[str]) -> Iterable[Json]:
    yield from (text if value is None else value for value, text in zip(said, texts, strict=True))


def _parsed(text: str) -> Json:
    if len(text) > TEXT_BYTES_MAX:  # it will be cut, and so will what is put after it
        return None
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _cut(text: str) -> str:
    encoded = text.encode()
    if len(encoded) <= TEXT_BYTES_MAX:
        return text
    kept = encoded[:TEXT_BYTES_MAX].decode("utf-8", "ignore")
    return f"{kept}\n[cut here: the first 1 MiB of {len(encoded)} bytes]"


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _bytes(data: str) -> str:
    return f"{len(data) * 3 // 4} bytes"
