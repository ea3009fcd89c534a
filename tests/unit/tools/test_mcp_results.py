"""What an agent reads of a server's answer."""

import base64

import pytest
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

from postroom.llm.port import Json
from postroom.tools.servers.results import IMAGES_BYTES_MAX, TEXT_BYTES_MAX, read_result


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def picture(data: bytes = b"png", kind: str = "image/png") -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=kind)


def answer(*blocks: ContentBlock, structured: Json = None, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=list(blocks), structured_content=structured, is_error=is_error)


@pytest.mark.parametrize(
    ("blocks", "structured", "read"),
    [
        ([text("a"), text("b")], None, "a\nb"),
        ([], {"n": 1}, '{"n": 1}'),
        ([text('{ "n" : 1 }')], {"n": 1}, '{ "n" : 1 }'),
        ([text("3 rows")], {"rows": [1, 2, 3]}, '3 rows\n{"rows": [1, 2, 3]}'),
        ([text("3")], {"result": 3}, "3"),
        ([text("three")], {"result": "three"}, "three"),
        ([text("a"), text("b")], {"result": ["a", "b"]}, "a\nb"),
        ([text("1"), text('{"k": "v"}')], {"result": [1, {"k": "v"}]}, '1\n{"k": "v"}'),
        ([text("a")], {"result": ["a", "b"]}, 'a\n{"result": ["a", "b"]}'),
        ([], {"result": []}, "(no output)"),
        ([], None, "(no output)"),
        ([text(" \n")], None, "(no output)"),
        ([text("x\x00y")], None, "x\N{REPLACEMENT CHARACTER}y"),
    ],
)
def test_text_and_structured_content_are_joined_so_that_nothing_is_said_twice(
    blocks: list[ContentBlock], structured: Json, read: str
) -> None:
    assert read_result(answer(*blocks, structured=structured), str).text == read


def test_an_error_stays_an_error() -> None:
    result = read_result(answer(text("no"), is_error=True), str)

    assert result.is_error
    assert result.text == "no"


def test_a_picture_alone_is_named_in_the_text() -> None:
    result = read_result(answer(picture(b"one"), picture(b"two", "image/jpeg")), str)

    assert result.text == "[2 pictures]"
    assert [(image.media_type, image.data) for image in result.images] == [
        ("image/png", b"one"), ("image/jpeg", b"two"),
    ]  # fmt: skip


def test_pictures_that_cannot_be_taken_are_told() -> None:
    broken = ImageContent(type="image", data="not base64!", mime_type="image/png")

    result = read_result(
        answer(picture(b"123", "image/svg+xml"), broken, picture(b"p" * (IMAGES_BYTES_MAX + 3))), str
    )

    assert result.images == ()
    assert result.text.splitlines() == [
        "[a picture of type image/svg+xml, 3 bytes; it cannot be shown]",
        "[a picture of type image/png is left out: it is no base64]",
        f"[a picture of {IMAGES_BYTES_MAX + 4} bytes is left out: more than 5 MiB in one result]",
    ]


def test_pictures_without_number_are_counted_once_each() -> None:
    """Counting all of them again for each would never end."""
    result = read_result(answer(*[picture(b"p")] * 50_000), str)

    assert len(result.images) == 50_000


def test_resources_and_sounds_are_told_in_words() -> None:
    note = TextResourceContents(uri="file:///n.txt", text="the note")
    image = BlobResourceContents(uri="file:///p.png", mime_type="image/png", blob="cG5n")
    packed = BlobResourceContents(uri="file:///p.bin", blob="AAAA")

    result = read_result(
        answer(
            ResourceLink(type="resource_link", name="doc", uri="https://example.org/doc"),
            EmbeddedResource(type="resource", resource=note),
            EmbeddedResource(type="resource", resource=image),
            EmbeddedResource(type="resource", resource=packed),
            AudioContent(type="audio", data="AAAA", mime_type="audio/wav"),
        ),
        str,
    )

    assert result.text.splitlines() == [
        "[resource doc <https://example.org/doc>]",
        "[resource <file:///n.txt>]",
        "the note",
        "[resource <file:///p.png>]",
        "[resource <file:///p.bin> of type unknown, 3 bytes; it cannot be shown]",
        "[a sound of type audio/wav, 3 bytes; it cannot be shown]",
    ]
    assert result.images[0].data == b"png"


def test_a_value_that_the_cut_would_halve_is_masked_whole() -> None:
    long = "x" * (TEXT_BYTES_MAX - 3) + "sesame"

    result = read_result(answer(text(long)), lambda said: said.replace("sesame", "${KEY}"))

    assert "ses" not in result.text


def test_text_is_cut_between_characters_with_a_note() -> None:
    result = read_result(answer(text("x" + "ü" * TEXT_BYTES_MAX)), str)

    kept, _, note = result.text.partition("\n")
    assert len(kept.encode()) == TEXT_BYTES_MAX - 1
    assert note == f"[cut here: the first 1 MiB of {1 + 2 * TEXT_BYTES_MAX} bytes]"
