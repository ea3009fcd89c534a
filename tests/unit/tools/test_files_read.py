"""Reading: numbered lines by the page, pictures, and clear words for what is neither."""

from pathlib import Path

import pytest

from postroom.llm.port import Image
from postroom.tools.files.reading import FILE_BYTES_MAX, IMAGE_BYTES_MAX, LINE_CHARS_MAX, PAGE_CHARS_MAX
from tests.unit.tools.files_session import Session, make_session, meanwhile


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return make_session(tmp_path)


def sparse(session: Session, name: str, start: bytes, size_bytes: int) -> None:
    with session.put(name, start).open("r+b") as stream:
        stream.truncate(size_bytes)


async def test_lines_come_with_their_numbers(session: Session) -> None:
    session.put("a.txt", "one\n\n  three")

    assert await session.text("read_file", path="a.txt") == "     1\tone\n     2\t\n     3\t  three"


async def test_the_directory_may_be_named_in_front(session: Session) -> None:
    session.put("a.txt", "one")

    assert await session.text("read_file", path=str(session.cwd / "a.txt")) == "     1\tone"


async def test_a_page_says_where_it_is_and_how_to_go_on(session: Session) -> None:
    session.put("a.txt", "".join(f"{n}\n" for n in range(1, 11)))

    page = await session.text("read_file", path="a.txt", offset=4, limit=2)
    last = await session.text("read_file", path="a.txt", offset=9)

    assert page == "     4\t4\n     5\t5\n[lines 4 to 5 of 10; go on with offset=6]"
    assert last == "     9\t9\n    10\t10\n[lines 9 to 10 of 10]"


@pytest.mark.parametrize(("offset", "limit"), [(0, 1), (-1, 1), (1, 0), (1, 2001)])
async def test_a_page_that_cannot_be_is_refused(session: Session, offset: int, limit: int) -> None:
    session.put("a.txt", "x")

    assert "from 1 to 2000" in await session.refusal("read_file", path="a.txt", offset=offset, limit=limit)


async def test_an_offset_past_the_end_is_refused_with_the_count(session: Session) -> None:
    session.put("a.txt", "one\ntwo\n")

    assert "has only 2 lines" in await session.refusal("read_file", path="a.txt", offset=3)


async def test_an_empty_file_says_so(session: Session) -> None:
    session.put("a.txt", "")

    assert await session.text("read_file", path="a.txt") == "(the file is empty)"


async def test_long_lines_and_long_pages_are_cut(session: Session) -> None:
    session.put("a.txt", ("x" * (LINE_CHARS_MAX + 5) + "\n") * 100)

    text = await session.text("read_file", path="a.txt")

    assert "[... 5 more characters in this line]" in text
    assert len(text) < PAGE_CHARS_MAX + 2 * LINE_CHARS_MAX
    assert "of 100; go on with offset=" in text


async def test_line_ends_and_a_byte_order_mark_are_told_and_not_shown(session: Session) -> None:
    session.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")

    assert await session.text("read_file", path="a.txt") == (
        "     1\tone\n     2\ttwo\n[lines end in CRLF]\n[the file begins with a byte order mark]"
    )


async def test_text_that_cannot_be_carried_is_scrubbed(session: Session) -> None:
    """O-27"""
    session.put("a.txt", "a\uffffb")

    assert await session.text("read_file", path="a.txt") == "     1\ta\N{REPLACEMENT CHARACTER}b"


async def test_what_is_no_text_is_refused_with_its_size(session: Session) -> None:
    session.put("a.bin", b"\x7fELF\x00\x01")

    assert "binary, 6 bytes" in await session.refusal("read_file", path="a.bin")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
async def test_other_encodings_are_named(session: Session, encoding: str) -> None:
    session.put("a.txt", "one".encode(encoding))

    said = await session.refusal("read_file", path="a.txt")

    assert "UTF-16" in said or "binary" in said


async def test_bytes_that_are_no_utf_8_are_named_with_their_line(session: Session) -> None:
    session.put("a.txt", b"one\ntwo\ncaf\xe9\n")

    assert "line 3 of a.txt is not UTF-8 (byte 0xe9)" in await session.refusal("read_file", path="a.txt")
    assert "two" in await session.text("read_file", path="a.txt", limit=2)


@pytest.mark.parametrize(
    ("start", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
    ],
)
async def test_a_picture_comes_as_a_picture(session: Session, start: bytes, media_type: str) -> None:
    session.put("a.png", start + b"\x00rest")

    result = await session.call("read_file", path="a.png")

    assert result.images == (Image(media_type=media_type, data=start + b"\x00rest"),)
    assert result.text == f"a.png: {media_type}, {len(start) + 5} bytes"


async def test_files_that_are_too_large_are_refused_with_their_size(session: Session) -> None:
    sparse(session, "a.png", b"\x89PNG\r\n\x1a\n", IMAGE_BYTES_MAX + 1)
    sparse(session, "a.txt", b"x" * 10_000, FILE_BYTES_MAX + 1)

    assert str(IMAGE_BYTES_MAX + 1) in await session.refusal("read_file", path="a.png")
    assert str(FILE_BYTES_MAX + 1) in await session.refusal("read_file", path="a.txt")


async def test_reading_a_file_that_grows_comes_to_an_end(session: Session) -> None:
    file = session.put("a.log", "first\n")

    def grow() -> None:
        if file.stat().st_size < 4_000_000:
            with file.open("ab") as stream:
                stream.write(b"more\n" * 1_000)

    with meanwhile(grow):
        for _ in range(50):
            assert "first" in await session.text("read_file", path="a.log", limit=1)
