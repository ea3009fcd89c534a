"""JSON text that a model wrote: what of it may stand in history although it is broken, and what it says."""

import json
from collections.abc import Iterable
from typing import cast

from postroom.domain.plain import Json
from postroom.rules.text import scrub


def scrub_arguments(arguments: str) -> str:
    """The same JSON text without escapes of characters that no provider takes back (O-27).

    Text that is not JSON, or nested too deeply, stays as it is: the call gets an error result, the
    history keeps the words.
    """
    text = scrub(arguments)
    if "\\u" not in text:
        return text
    try:
        value: object = json.loads(text)
        return json.dumps(_scrubbed(value), ensure_ascii=False)
    except (ValueError, RecursionError):  # the second: nested deeper than Python follows
        return text


def _scrubbed(value: object) -> object:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed(v) for v in cast("list[object]", value)]
    if isinstance(value, dict):
        return {scrub(k): _scrubbed(v) for k, v in cast("dict[str, object]", value).items()}
    return value


def is_deeper_than(value: Json, levels_max: int) -> bool:
    """Whether lists and objects lie inside each other more than so often. Needs no deep stack itself."""
    level = [value]
    for _ in range(levels_max + 1):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def read_object(text: str, chars_max: int) -> dict[str, object] | None:
    """The object in a model's answer, which must be nothing else and not longer; else `None`."""
    if len(text) > chars_max:
        return None
    try:
        answer: object = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", answer) if isinstance(answer, dict) else None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A key that is there twice says two things: then nothing was said."""
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key is there twice")
    return table
