"""What every provider refuses, said in one place: a request that breaks one of these never leaves us.

Vendors disagree on what they tolerate; this is the strictest reading of all of them (G6). Scripted
models ask it before they answer, so that every scenario runs against a provider that forgives nothing.
"""

import json
from collections.abc import Iterator
from enum import StrEnum

from postroom.llm.port import (
    DEFAULT_WINDOW,
    AssistantItem,
    CallItem,
    ModelRequest,
    ResultItem,
    UserItem,
)
from postroom.rules.text import CHARS_PER_TOKEN, is_blank

IMAGE_TOKENS = 1_500
"""What a picture counts for: about what vendors charge for one of a screen's size."""


class Flaw(StrEnum):
    """The kind of a bad request. Stable: tests and logs name it."""

    UNPAIRED_CALL = "unpaired_call"  # a call without its one result directly after its answer
    STRAY_RESULT = "stray_result"  # a result without an open call just before it
    REPEATED_ID = "repeated_id"  # one call id used twice in one request
    TEXT_INSIDE_PAIR = "text_inside_pair"  # user text between a call and its result
    BLANK_TEXT = "blank_text"  # a text block with nothing to see in it
    NOT_UTF8 = "not_utf8"  # a lone surrogate: the request cannot be encoded
    OVER_WINDOW = "over_window"  # more tokens than the model's window


def check(request: ModelRequest) -> str | None:
    """The first fault of the request as `kind: words`, or None. Linear in the request."""
    found = next(_flaws(request), None)
    return None if found is None else f"{found[0]}: {found[1]}"


def estimated_tokens(request: ModelRequest) -> int:
    """The size of a request in tokens: characters of all its texts by four, rounded up, and its images."""
    images = sum(len(item.images) for item in request.items if isinstance(item, ResultItem))
    characters = sum(len(text) for _, text in _texts(request))
    return -(-characters // CHARS_PER_TOKEN) + images * IMAGE_TOKENS


def _flaws(request: ModelRequest) -> Iterator[tuple[Flaw, str]]:
    """Every fault, the cause before its consequences."""
    yield from _encoding_flaws(request)
    yield from _blank_flaws(request)
    yield from _pairing_flaws(request)
    tokens = estimated_tokens(request)
    window = request.settings.context_window or DEFAULT_WINDOW
    if tokens > window:
        yield Flaw.OVER_WINDOW, f"about {tokens} tokens, the window holds {window}"


def _texts(request: ModelRequest) -> Iterator[tuple[str, str]]:
    """Every text that goes over the wire, with where it stands."""
    yield "instructions", request.instructions
    for number, item in enumerate(request.items):
        where = f"item {number}"
        if isinstance(item, AssistantItem):
            yield where, item.text
            for call in item.calls:
                yield f"{where} call {call.call_id!r}", call.call_id + call.tool + call.arguments
        elif isinstance(item, ResultItem):
            yield where, item.call_id + item.tool + item.text
        else:
            yield where, item.text
    for tool in request.tools:
        schema = json.dumps(dict(tool.parameters), ensure_ascii=False)
        yield f"tool {tool.name!r}", tool.name + tool.description + schema


def _encoding_flaws(request: ModelRequest) -> Iterator[tuple[Flaw, str]]:
    for where, text in _texts(request):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            yield (
                Flaw.NOT_UTF8,
                f"{where} holds {text[error.start]!a}, which no UTF-8 text can hold",
            )


def _blank_flaws(request: ModelRequest) -> Iterator[tuple[Flaw, str]]:
    if request.instructions and is_blank(request.instructions):
        yield Flaw.BLANK_TEXT, "instructions are blank"
    for number, item in enumerate(request.items):
        # An answer may be calls alone; then there is no text block at all.
        absent = isinstance(item, AssistantItem) and item.calls and not item.text
        if not absent and is_blank(item.text):
            yield Flaw.BLANK_TEXT, f"item {number} is blank"


def _pairing_flaws(request: ModelRequest) -> Iterator[tuple[Flaw, str]]:
    seen: set[str] = set()
    waiting: dict[str, CallItem] = {}
    for number, item in enumerate(request.items):
        match item:
            case ResultItem():
                if waiting.pop(item.call_id, None) is None:
                    yield (
                        Flaw.STRAY_RESULT,
                        f"item {number} answers {item.call_id!r}, no open call just before it",
                    )
            case UserItem():
                if waiting:
                    yield (
                        Flaw.TEXT_INSIDE_PAIR,
                        f"item {number} stands before the results of {sorted(waiting)}",
                    )
            case AssistantItem():
                yield from _unpaired(waiting)
                waiting = {call.call_id: call for call in item.calls}
                yield from _repeated(item, number, seen)
    yield from _unpaired(waiting)


def _unpaired(waiting: dict[str, CallItem]) -> Iterator[tuple[Flaw, str]]:
    if waiting:
        yield Flaw.UNPAIRED_CALL, f"no result directly after the calls {sorted(waiting)}"


def _repeated(item: AssistantItem, number: int, seen: set[str]) -> Iterator[tuple[Flaw, str]]:
    for call in item.calls:
        if call.call_id in seen:
            yield Flaw.REPEATED_ID, f"item {number} uses the call id {call.call_id!r} again"
        seen.add(call.call_id)
