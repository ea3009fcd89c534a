"""One file as a model reads it: numbered lines a page at a time, or a picture."""

import codecs
import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from postroom.llm.port import Image
from postroom.tools.base import ToolResult
from postroom.tools.files.confine import Folder, inner_folder
from postroom.tools.files.paths import PathRefused

FILE_BYTES_MAX: Final = 64 * 1024 * 1024
IMAGE_BYTES_MAX: Final = 5 * 1024 * 1024
LINES_MAX: Final = 2_000
LINE_CHARS_MAX: Final = 2_000
PAGE_CHARS_MAX: Final = 60_000
SNIFF_BYTES: Final = 8_192
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def read_page(root: Folder, parts: tuple[str, ...], offset: int, limit: int) -> ToolResult:
    """Lines `offset` and following, or the picture that the file is. Raises `PathRefused`."""
    if offset < 1 or not 0 < limit <= LINES_MAX:
        raise PathRefused(f"offset begins with 1, and limit is from 1 to {LINES_MAX}")
    if not parts:
        raise PathRefused("that is the session's directory: list_files shows what is in it")
    with inner_folder(root, parts[:-1]) as folder, folder.open_file(parts[-1]) as stream:
        shown, size_bytes = folder.shown(parts[-1]), os.fstat(stream.fileno()).st_size
        start = stream.read(SNIFF_BYTES)
        if (media_type := _picture(start)) is not None:
            return _image(stream, shown, size_bytes, media_type)
        check_text(start, shown, size_bytes)
        if size_bytes > FILE_BYTES_MAX:
            raise PathRefused(f"{shown} is too large to be read: {size_bytes} bytes")
        stream.seek(0)
        # Up to the size that it had when it was opened, however fast it grows.
        return ToolResult(text=_page(stream.read(size_bytes), shown, offset, limit))


def check_text(start: bytes, shown: str, size_bytes: int) -> None:
    """Raises `PathRefused` when the first bytes of a file show that it is no text in UTF-8."""
    if start.startswith(_UTF16):
        raise PathRefused(f"{shown} is text in UTF-16 ({size_bytes} bytes); only UTF-8 is read: convert it")
    if b"\x00" in start:
        raise PathRefused(f"{shown} is no text but binary, {size_bytes} bytes; it is not shown")


def decoded(data: bytes, shown: str, first_line: int = 1) -> str:
    """The text of these bytes, a byte order mark included. Raises `PathRefused` for what is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        wrong = f"line {line} of {shown} is not UTF-8 (byte 0x{data[error.start]:02x})"
        raise PathRefused(f"{wrong}; convert the file, for instance with iconv") from None


def _page(data: bytes, shown: str, offset: int, limit: int) -> str:
    if not data:
        return "(the file is empty)"
    total = data.count(b"\n") + (not data.endswith(b"\n"))
    if offset > total:
        raise PathRefused(f"{shown} has only {total} lines")
    page: list[str] = []
    chars, crlf = 0, False
    for number, raw in enumerate(_lines(data, offset), offset):
        if len(page) == limit or chars > PAGE_CHARS_MAX:
            break
        text = decoded(raw, shown, number).removesuffix("\n")
        crlf = crlf or text.endswith("\r")
        line = text.removesuffix("\r").removeprefix("\ufeff" if number == 1 else "")
        page.append(f"{number:>6}\t{_cut(line)}")
        chars += len(page[-1])
    bom = data.startswith(codecs.BOM_UTF8)
    return "\n".join([*page, *_notes(offset, len(page), total, crlf=crlf, bom=bom)])


def _lines(data: bytes, first: int) -> Iterator[bytes]:
    """Lines from the given one on, each with its end."""
    start = 0
    for _ in range(first - 1):
        start = data.index(b"\n", start) + 1
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def _notes(offset: int, count: int, total: int, *, crlf: bool, bom: bool) -> list[str]:
    last = offset + count - 1
    notes = [f"[lines {offset} to {last} of {total}]"] if offset > 1 or last < total else []
    if last < total:
        notes[0] = f"{notes[0][:-1]}; go on with offset={last + 1}]"
    if crlf:
        notes.append("[lines end in CRLF]")
    if bom:
        notes.append("[the file begins with a byte order mark]")
    return notes


def _cut(line: str) -> str:
    if len(line) <= LINE_CHARS_MAX:
        return line
    return f"{line[:LINE_CHARS_MAX]} [... {len(line) - LINE_CHARS_MAX} more characters in this line]"


def _picture(start: bytes) -> str | None:
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for mark, media_type in _PICTURES if start.startswith(mark)), None)


def _image(stream: BinaryIO, shown: str, size_bytes: int, media_type: str) -> ToolResult:
    if size_bytes > IMAGE_BYTES_MAX:
        most = f"the most is {IMAGE_BYTES_MAX}"
        raise PathRefused(f"{shown} is a picture of {size_bytes} bytes ({media_type}); {most}")
    stream.seek(0)
    picture = Image(media_type=media_type, data=stream.read(size_bytes))
    return ToolResult(text=f"{shown}: {media_type}, {size_bytes} bytes", images=(picture,))
