"""Pictures in a request: they must be base64, of a type the vendor takes, and what they say they are."""

import base64
import binascii
from enum import StrEnum

from postroom.testing.provider_emulator.breach import Breach, Place, Rule

# What a picture costs in characters of the rough measure: about a thousand tokens on every wire.
PICTURE_CHARS = 4_000
# Vendors take no larger picture than this (Anthropic: 5 MB each).
MOST_BYTES = 5 * 1024 * 1024
USUAL_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_MAGIC = {
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


class PictureFlaw(StrEnum):
    """Why a picture is refused: the first of a breach's names."""

    MEDIA_TYPE = "media_type"  # a type the vendor does not take
    BASE64 = "base64"  # no base64
    TOO_BIG = "too_big"  # more bytes than the vendor takes
    UNREADABLE = "unreadable"  # not the bytes of any picture
    OTHER_TYPE = "other_type"  # the bytes of a picture of another type


def check_picture(media_type: str, data: str, at: Place, *, types: tuple[str, ...] = USUAL_TYPES) -> None:
    """Refuse a picture that the vendor could not show its model."""
    if media_type not in types:
        raise _flawed(PictureFlaw.MEDIA_TYPE, at, media_type, *types)
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _flawed(PictureFlaw.BASE64, at) from error
    if len(content) > MOST_BYTES:
        raise _flawed(PictureFlaw.TOO_BIG, at, str(len(content)), str(MOST_BYTES))
    found = _type_of(content)
    if not found:
        raise _flawed(PictureFlaw.UNREADABLE, at)
    if found != media_type:
        raise _flawed(PictureFlaw.OTHER_TYPE, at, media_type, found)


def _type_of(content: bytes) -> str:
    return next((kind for kind, starts in _MAGIC.items() if content.startswith(starts)), "")


def _flawed(flaw: PictureFlaw, at: Place, *facts: str) -> Breach:
    return Breach(Rule.BAD_IMAGE, at=at, names=(flaw, *facts))
