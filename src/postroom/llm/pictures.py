"""Which pictures of a result a model is shown, and what it is told of the others.

A picture that a vendor refuses would be refused with every later request of its conversation too. So
the type is read off the bytes, whatever the tool said, and what is too large or unknown goes in words.
"""

from dataclasses import dataclass
from typing import Final

from postroom.llm.port import Image

KNOWN_TYPES: Final = frozenset(("image/gif", "image/jpeg", "image/png", "image/webp"))
"""What Anthropic and OpenAI take; Gemini takes no GIF."""
# Anthropic's 5 MiB for a picture, which it counts in base64; the others take more.
BYTES_MAX: Final = 5 * 1_024 * 1_024 * 3 // 4
_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
_RIFF_KIND: Final = slice(8, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Which pictures a model takes, by media type, and whether in the result or right after the results."""

    types: frozenset[str] = frozenset()
    in_results: bool = True


BLIND: Final = Sight()
"""A model that is told of pictures in words."""


def seen(image: Image, sight: Sight) -> Image | None:
    """The picture as this model is shown it, or None when it must be told in words."""
    media_type = _type_of(image.data)
    if media_type not in sight.types or len(image.data) > BYTES_MAX:
        return None
    return Image(media_type=media_type, data=image.data)


def in_words(image: Image) -> str:
    """The line that stands for a picture."""
    return f"[With this came a picture, {image.media_type}, {len(image.data)} bytes, which you cannot see.]"


def _type_of(data: bytes) -> str:
    if data.startswith(b"RIFF") and data[_RIFF_KIND] == b"WEBP":
        return "image/webp"
    return next((media_type for beginning, media_type in _BEGINNINGS if data.startswith(beginning)), "")
