"""The page of a conversation on the bus of a turn: a signature before each text (systems.md 2.10).

A text of one plain line stands behind its signature; any other one in a fence, as on every page.
"""

import re
from collections.abc import Iterator
from typing import Final

from postroom.domain.plain import Json
from postroom.observe.export_parts import Record
from postroom.observe.fences import fenced, name, visible

_LABELS: Final = {
    "user": "User",
    "message": "Message (mid-turn)",
    "mixed": "Mixed (mid-turn)",
    "assistant": "Assistant",
    "prompt": "Task",
    "task": "Task",
    "notice": "Notice",
    "plugin": "Plugin",
    "goal": "Goal",
    "result": "Result",
}
_MARKED: Final = re.compile(r"[*`<\\|&\n\r\u2028\u2029]|\]\(|\]\[|(?<!\w)_|_(?!\w)|~~|://")
"""What could be more than text on a line of Markdown."""
_LINE_CHARS: Final = 400


def signed(record: Record) -> Iterator[str]:
    """One text, or one call with what came of it; a call that has made an agent is told by its card."""
    if record["sign"] == "call":
        yield from _call(record)
        return
    if record["sign"] == "prompt" and record["n"] == 1 and record["type"] == "item":
        return  # the card begins with it
    label = _LABELS.get(str(record["sign"]), "Other")
    left = " (in a part that was taken back)" if record["type"] == "left" else ""
    text = str(record.get("shown", record["text"]))
    if text:
        yield from _labelled(f"**{label}{left}:**", text)


def _call(record: Record) -> Iterator[str]:
    if "card" in record:
        return
    yield f"**Tool call: {name(record['tool'])}**"
    yield ""
    yield from fenced(str(record["arguments"]), "json")
    if record["is_open"]:
        yield "It goes on."
        yield ""
        return
    yield from fenced(str(record["text"]))
    for image in _images(record):
        yield f"A picture, {name(image)}."
        yield ""


def _images(record: Record) -> Iterator[Json]:
    images = record.get("images")
    for image in images if isinstance(images, list) else ():
        yield image.get("media_type") if isinstance(image, dict) else None


def card_begins(record: Record) -> Iterator[str]:
    """An agent that was made here: what for."""
    yield from _labelled(f"**Sub-agent ({_plain(record['role'])}):**", str(record["task"]))


def card_ends(record: Record) -> Iterator[str]:
    """How it stands, and why it has failed."""
    if record["status"] == "error":
        yield from _labelled("**Error:**", str(record["cause"]))
    yield f"End of {name(record['address'] or record['role'])}: {record['status']}."
    yield ""


def undelivered(record: Record) -> Iterator[str]:
    """A message that no agent has read."""
    rest = f" ({record['missing_chars']} more characters)" if record["missing_chars"] else ""
    who = f"{_plain(record['sender'])} -> {_plain(record['to'])}"
    yield f"> **Undelivered:** {who}: {_plain(record['text'])}{rest}"
    yield ""


def _labelled(label: str, text: str) -> Iterator[str]:
    if len(text) <= _LINE_CHARS and _MARKED.search(text) is None and visible(text) == text:
        yield f"{label} {text}"
        yield ""
        return
    yield label
    yield ""
    yield from fenced(text)


def _plain(value: Json) -> str:
    """A text on a line, between backticks unless it is nothing but text."""
    text = str(value)
    return text if _MARKED.search(text) is None and visible(text) == text else name(text)
