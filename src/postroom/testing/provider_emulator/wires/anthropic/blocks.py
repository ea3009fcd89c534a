"""The content blocks of the messages wire, each read as strictly as the vendor reads it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    OBJECT,
    TEXT,
    Fields,
    a_text,
    an_object,
    check_shape,
)
from postroom.testing.provider_emulator.pictures import PICTURE_CHARS, check_picture
from postroom.testing.provider_emulator.rules import check_text
from postroom.testing.provider_emulator.wires.anthropic.markers import check_marker

CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MARKER = {"cache_control": OBJECT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block. `text` is what a reader would see of it, `chars` what it costs."""

    kind: str
    raw: Fields
    at: Place
    text: str = ""
    chars: int = 0

    @property
    def markers(self) -> int:
        """How many cache markers it holds, those of the blocks inside it included."""
        inner = self.raw.get("content")
        nested = [each for each in inner if isinstance(each, dict)] if isinstance(inner, list) else []
        return sum(bool(each.get("cache_control")) for each in (self.raw, *nested))


Reader: TypeAlias = Callable[[Fields, Place, Place], Block]


def read_blocks(content: Json, at: Place, readers: Mapping[str, Reader]) -> Iterator[Block]:
    """The blocks of a content; a plain string is one text block."""
    if isinstance(content, str):
        yield _text_block({"type": "text", "text": content}, at)
        return
    if not isinstance(content, list):
        raise Breach(Rule.WRONG_TYPE, at=at, names=("array",))
    for number, value in enumerate(content):
        where = (*at, number)
        raw = an_object(value, where)
        kind = a_text(raw, "type", where)
        if kind not in readers:
            tags = ", ".join(f"'{each}'" for each in readers)
            raise Breach(
                Rule.BAD_VALUE,
                says=f"{'.'.join(map(str, where))}: Input tag '{kind}' found using 'type' does not match "
                f"any of the expected tags: {tags}",
            )
        yield readers[kind](raw, where, (*where, kind))


def _text(raw: Fields, at: Place, tagged: Place) -> Block:
    check_shape(raw, {"type": TEXT, "text": TEXT, "citations": LIST, **_MARKER}, tagged, required=("text",))
    check_marker(raw, tagged)
    return _text_block(raw, at)


def _text_block(raw: Fields, at: Place) -> Block:
    text = str(raw["text"])
    check_text(text, at[:1])
    return Block(kind="text", raw=raw, at=at, text=text, chars=len(text))


def _image(raw: Fields, at: Place, tagged: Place) -> Block:
    check_shape(raw, {"type": TEXT, "source": OBJECT, **_MARKER}, tagged, required=("source",))
    check_marker(raw, tagged)
    source = an_object(raw["source"], (*tagged, "source"))
    if source.get("type") != "base64":
        # A real vendor would fetch a URL; on loopback there is nothing to fetch from.
        raise Breach(Rule.BAD_VALUE, at=(*tagged, "source", "type"), names=("'base64'",))
    names = ("media_type", "data")
    check_shape(source, {"type": TEXT, "media_type": TEXT, "data": TEXT}, (*tagged, "source"), required=names)
    check_picture(str(source["media_type"]), str(source["data"]), tagged)
    return Block(kind="image", raw=raw, at=at, chars=PICTURE_CHARS)


def _tool_result(raw: Fields, at: Place, tagged: Place) -> Block:
    shape = {"type": TEXT, "tool_use_id": TEXT, "content": (str, list), "is_error": FLAG, **_MARKER}
    check_shape(raw, shape, tagged, required=("tool_use_id",))
    check_marker(raw, tagged)
    _check_id(str(raw["tool_use_id"]), (*tagged, "tool_use_id"))
    content = raw.get("content")
    if raw.get("is_error") and not content:
        raise Breach(Rule.BLANK_TEXT, says=f"{at[0]}: content cannot be empty if `is_error` is true")
    if not content or isinstance(content, str):
        text = str(content or "")
        return Block(kind="tool_result", raw=raw, at=at, text=text, chars=len(text))
    inner = list(read_blocks(content, (*tagged, "content"), _RESULT_READERS))
    return Block(
        kind="tool_result",
        raw=raw,
        at=at,
        text="".join(block.text for block in inner),
        chars=sum(block.chars for block in inner),
    )


def _tool_use(raw: Fields, at: Place, tagged: Place) -> Block:
    shape = {"type": TEXT, "id": TEXT, "name": TEXT, "input": OBJECT, "caller": OBJECT, **_MARKER}
    check_shape(raw, shape, tagged, required=("id", "name", "input"))
    check_marker(raw, tagged)
    _check_id(str(raw["id"]), (*tagged, "id"))
    name = str(raw["name"])
    if not TOOL_NAME.fullmatch(name):
        raise Breach(Rule.BAD_VALUE, at=(*tagged, "name"), names=("pattern", f"^{TOOL_NAME.pattern}$"))
    return Block(kind="tool_use", raw=raw, at=at, chars=len(name) + len(json.dumps(raw["input"])))


def _thinking(raw: Fields, at: Place, tagged: Place) -> Block:
    shape = {"type": TEXT, "thinking": TEXT, "signature": TEXT}
    check_shape(raw, shape, tagged, required=("thinking", "signature"))
    return Block(kind="thinking", raw=raw, at=at, chars=len(str(raw["thinking"])))


def _redacted(raw: Fields, at: Place, tagged: Place) -> Block:
    check_shape(raw, {"type": TEXT, "data": TEXT}, tagged, required=("data",))
    return Block(kind="redacted_thinking", raw=raw, at=at)


def _check_id(call_id: str, at: Place) -> None:
    if not CALL_ID.fullmatch(call_id):
        raise Breach(Rule.BAD_VALUE, at=at, names=("pattern", f"^{CALL_ID.pattern}$"))


SYSTEM_READERS: Mapping[str, Reader] = {"text": _text}
_RESULT_READERS: Mapping[str, Reader] = {"text": _text, "image": _image}
READERS: Mapping[str, Mapping[str, Reader]] = {
    "user": {**_RESULT_READERS, "tool_result": _tool_result},
    "assistant": {
        "text": _text,
        "tool_use": _tool_use,
        "thinking": _thinking,
        "redacted_thinking": _redacted,
    },
}
