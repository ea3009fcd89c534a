"""Pictures in results: shown where a model takes them, told in words where it does not."""

import pytest
from pydantic_ai.messages import BinaryContent, ModelRequest, ToolReturnPart, UserPromptPart

from postroom.llm.pictures import BLIND, BYTES_MAX, Sight, seen
from postroom.llm.port import Image, Item, ResultItem
from postroom.llm.strict import IMAGE_TOKENS, estimated_tokens
from postroom.llm.vendor_messages import to_messages
from tests.unit.llm.requests import asks, request, result, user

PNG = Image("image/png", b"\x89PNG\r\n\x1a\n pixels")
BYTES = {
    "image/png": PNG.data,
    "image/jpeg": b"\xff\xd8\xff\xe0 pixels",
    "image/gif": b"GIF89a pixels",
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 pixels",
}
SHARP = Sight(types=frozenset(BYTES))
AFTER = Sight(types=frozenset(BYTES), in_results=False)


def shows(call_id: str, *images: Image) -> ResultItem:
    return ResultItem(call_id=call_id, tool="look", text="found", images=images)


def last_request(*items: Item, sight: Sight) -> ModelRequest:
    message = to_messages(items, provider="p", sight=sight)[-1]
    assert isinstance(message, ModelRequest)
    return message


def content(message: ModelRequest) -> object:
    """What the one result of a request holds."""
    (part,) = message.parts
    assert isinstance(part, ToolReturnPart)
    return part.content


@pytest.mark.parametrize("media_type", BYTES)
def test_the_bytes_tell_the_type_whatever_the_tool_said(media_type: str) -> None:
    shown = seen(Image("image/x", BYTES[media_type]), SHARP)

    assert shown == Image(media_type, BYTES[media_type])


@pytest.mark.parametrize(
    "image",
    [
        Image("image/png", b"no pixels"),
        Image("image/png", b""),
        Image("image/svg+xml", b"<svg/>"),
        Image("image/png", PNG.data + bytes(BYTES_MAX)),
    ],
    ids=["broken", "empty", "of another type", "too large"],
)
def test_a_picture_that_would_be_refused_is_told_in_words(image: Image) -> None:
    message = last_request(user(), asks("c_1"), shows("c_1", image), sight=SHARP)

    (part,) = message.parts
    assert isinstance(part, ToolReturnPart)
    assert isinstance(part.content, str)
    assert part.content.startswith(
        f"found\n[With this came a picture, {image.media_type}, {len(image.data)} "
    )


def test_a_blind_model_is_told_in_words() -> None:
    message = last_request(user(), asks("c_1"), shows("c_1", PNG), sight=BLIND)

    assert "which you cannot see" in str(content(message))


def test_a_picture_goes_into_its_result_where_the_wire_has_a_place_for_it() -> None:
    message = last_request(user(), asks("c_1"), shows("c_1", PNG), sight=SHARP)

    assert content(message) == ["found", BinaryContent(data=PNG.data, media_type="image/png")]


def test_elsewhere_pictures_follow_all_results_and_come_before_the_mail() -> None:
    items = (user(), asks("c_1", "c_2", "c_3"), shows("c_1", PNG), result("c_2"), shows("c_3", PNG), user())

    message = last_request(*items, sight=AFTER)

    assert [part.part_kind for part in message.parts] == [*["tool-return"] * 3, *["user-prompt"] * 2]
    pictures = message.parts[3]
    assert isinstance(pictures, UserPromptPart)
    assert [each if isinstance(each, str) else type(each) for each in pictures.content] == [
        "What look gave with the result of c_1:",
        BinaryContent,
        "What look gave with the result of c_3:",
        BinaryContent,
    ]


def test_pictures_at_the_end_of_a_request_are_not_lost() -> None:
    message = last_request(user(), asks("c_1"), shows("c_1", PNG), sight=AFTER)

    assert [part.part_kind for part in message.parts] == ["tool-return", "user-prompt"]


def test_a_picture_counts_for_its_tokens() -> None:
    plain = estimated_tokens(request(user(), asks("c_1"), shows("c_1")))

    assert estimated_tokens(request(user(), asks("c_1"), shows("c_1", PNG, PNG))) == plain + 2 * IMAGE_TOKENS
