"""Tool arguments as JSON text: what may stand in history although the model wrote it broken."""

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
