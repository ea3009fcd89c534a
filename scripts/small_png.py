"""Pictures of screens in a third of their bytes: at most 256 colours, which is all that such a picture needs.

A browser writes true colours; what it draws has one or two thousand of them, nearly all of them steps between
a letter and its ground. No library for this is among those that the project has anyway.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
COLOURS_MAX: Final = 256
RGB_BYTES: Final = 3
TRUE_COLOUR: Final = 2
INDEXED: Final = 3


def small(picture: bytes) -> bytes:
    """The same picture by a palette: the most frequent colours, each other one as the nearest of them.

    Takes 8-bit true colour without transparency and without interlacing, as browsers write it.
    """
    parts = list(_parts(picture))
    head = next(data for kind, data in parts if kind == b"IHDR")
    width, height, depth, colour_type = struct.unpack(">IIBB", head[:10])
    assert (depth, colour_type) == (8, TRUE_COLOUR)  # noqa: S101 -- what a browser gives
    packed = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    rows = [_colours(row) for row in _rows(packed, width * RGB_BYTES)]
    palette, place = _palette(Counter(colour for row in rows for colour in row))
    indexed = b"".join(b"\0" + bytes(place[colour] for colour in row) for row in rows)
    made = struct.pack(">IIBBBBB", width, height, 8, INDEXED, 0, 0, 0)
    chunks = (
        (b"IHDR", made),
        (b"PLTE", b"".join(palette)),
        (b"IDAT", zlib.compress(indexed, 9)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _parts(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(picture):
        size = int.from_bytes(picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        at += size + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _colours(row: bytes) -> list[bytes]:
    return [row[at : at + RGB_BYTES] for at in range(0, len(row), RGB_BYTES)]


def _palette(counted: Counter[bytes]) -> tuple[list[bytes], dict[bytes, int]]:
    palette = [colour for colour, _ in counted.most_common(COLOURS_MAX)]
    place = {colour: index for index, colour in enumerate(palette)}
    for colour in counted:
        if colour not in place:
            place[colour] = min(range(len(palette)), key=lambda one: _distance(palette[one], colour))
    return palette, place


def _distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _rows(packed: bytes, stride: int) -> Iterator[bytes]:
    """Undo the filters of each row (section 9 of the PNG specification)."""
    above = bytes(stride)
    for start in range(0, len(packed), stride + 1):
        row = bytearray(packed[start + 1 : start + 1 + stride])
        _unfilter(packed[start], row, above)
        above = bytes(row)
        yield above


def _unfilter(kind: int, row: bytearray, above: bytes) -> None:
    guess = _GUESSES[kind]
    if guess is None:
        return
    for at, up in enumerate(above):
        left = row[at - RGB_BYTES] if at >= RGB_BYTES else 0
        corner = above[at - RGB_BYTES] if at >= RGB_BYTES else 0
        row[at] = (row[at] + guess(left, up, corner)) & 0xFF


def _paeth(left: int, up: int, corner: int) -> int:
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


_GUESSES: Final[tuple[Callable[[int, int, int], int] | None, ...]] = (
    None,
    lambda left, _up, _corner: left,
    lambda _left, up, _corner: up,
    lambda left, up, _corner: (left + up) // 2,
    _paeth,
)
"""What a byte is written as the difference from, by the number of the filter."""
