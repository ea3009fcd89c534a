"""The parts of a Gemini content, each read as strictly as the vendor reads it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    OBJECT,
    TEXT,
    Fields,
    a_list,
    a_text,
    an_object,
    check_shape,
)
from postroom.testing.provider_emulator.pictures import PICTURE_CHARS, check_picture
from postroom.testing.provider_emulator.rules import check_text

PICTURES = ("image/png", "image/jpeg", "image/webp")
FUNCTION_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_KINDS = ("text", "inlineData", "functionCall", "functionResponse")
_SHAPE = {
    "text": TEXT,
    "inlineData": OBJECT,
    "functionCall": OBJECT,
    "functionResponse": OBJECT,
    "thought": FLAG,
    "thoughtSignature": TEXT,
}
_CALL_SHAPE = {"id": TEXT, "name": TEXT, "args": OBJECT}
_RESPONSE_SHAPE = {"id": TEXT, "name": TEXT, "response": OBJECT, "parts": LIST}
_SNAKE = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part. `inner` are the fields of its call or response, `text` is what a reader would see."""

    kind: str
    at: Place
    inner: Fields
    text: str = ""
    chars: int = 0
    signature: str = ""
    thought: bool = False

    @property
    def name(self) -> str:
        """The function that a call or a response is of."""
        return str(self.inner.get("name") or "")

    @property
    def id(self) -> str:
        """The id of a call or a response, empty when it has none."""
        return str(self.inner.get("id") or "")


def camel(fields: Fields) -> Fields:
    """The fields by the names of JSON: this vendor takes those of its protocol buffers as well."""
    return {_SNAKE.sub(lambda found: found[1].upper(), name): value for name, value in fields.items()}


def read_parts(content: Fields, at: Place) -> Iterator[Part]:
    """The parts of a content."""
    values = a_list(content.get("parts"), (*at, "parts"))
    if not values:
        raise Breach(Rule.WRONG_TYPE, at=(*at, "parts"), names=("empty",))
    for number, value in enumerate(values):
        yield _part(value, (*at, "parts", number))


def plain_base64(data: str) -> str:
    """Base64 in the usual letters: this vendor takes those for URLs as well."""
    return data.translate(str.maketrans("-_", "+/"))


def _part(value: Json, at: Place) -> Part:
    raw = camel(an_object(value, at))
    check_shape(raw, _SHAPE, at)
    kinds = [kind for kind in _KINDS if raw.get(kind) is not None]
    if len(kinds) != 1:
        raise Breach(Rule.MISSING_FIELD, at=at, names=("data",))
    signature = str(raw.get("thoughtSignature") or "")
    match kinds[0]:
        case "text":
            return _text(raw, at, signature)
        case "inlineData":
            return _picture(raw["inlineData"], (*at, "inline_data"))
        case "functionCall":
            return _call(raw["functionCall"], at, signature)
        case _:
            return _response(raw["functionResponse"], at)


def _text(raw: Fields, at: Place, signature: str) -> Part:
    text = a_text(raw, "text", at)
    # A part that only carries a signature has no text.
    if text or not signature:
        check_text(text, at)
    return Part(
        kind="text",
        at=at,
        inner={},
        text=text,
        chars=len(text),
        signature=signature,
        thought=bool(raw.get("thought")),
    )


def _picture(value: Json, at: Place) -> Part:
    data = camel(an_object(value, at))
    check_shape(
        data, {"mimeType": TEXT, "data": TEXT, "displayName": TEXT}, at, required=("mimeType", "data")
    )
    check_picture(str(data["mimeType"]), plain_base64(str(data["data"])), at, types=PICTURES)
    return Part(kind="inlineData", at=at, inner={}, chars=PICTURE_CHARS)


def _call(value: Json, at: Place, signature: str) -> Part:
    place = (*at, "function_call")
    call = camel(an_object(value, place))
    check_shape(call, _CALL_SHAPE, place, required=("name",))
    check_name(str(call["name"]), (*place, "name"))
    chars = len(str(call["name"])) + len(json.dumps(call.get("args") or {}))
    return Part(kind="functionCall", at=at, inner=call, chars=chars, signature=signature)


def _response(value: Json, at: Place) -> Part:
    place = (*at, "function_response")
    response = camel(an_object(value, place))
    check_shape(response, _RESPONSE_SHAPE, place, required=("name", "response"))
    check_name(str(response["name"]), (*place, "name"))
    chars = 0
    for number, each in enumerate(a_list(response.get("parts"), (*place, "parts"))):
        inner = camel(an_object(each, (*place, "parts", number)))
        check_shape(inner, {"inlineData": OBJECT}, (*place, "parts", number), required=("inlineData",))
        chars += _picture(inner["inlineData"], (*place, "parts", number)).chars
    text = _told(an_object(response["response"], place))
    return Part(kind="functionResponse", at=at, inner=response, text=text, chars=chars + len(text))


def _told(response: Fields) -> str:
    """What a response says: the only value of it when that is a text, else all of it."""
    values = list(response.values())
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(response, ensure_ascii=False)


def check_name(name: str, at: Place) -> None:
    """Refuse a name that no function may have."""
    if not FUNCTION_NAME.fullmatch(name):
        raise Breach(
            Rule.BAD_VALUE,
            at=at,
            says="Invalid function name. Must start with a letter or an underscore. Must be alphanumeric "
            "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), "
            "with a maximum length of 64.",
        )
