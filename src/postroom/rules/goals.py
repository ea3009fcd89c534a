"""The list that a goal is measured by, and how goal and list read. Nothing here decides who is told."""

import json
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from postroom.rules.text import is_blank, is_encodable

TEXT_CHARS_MAX = 4_000
"""A goal is read again with every reminder, so it is short."""
ITEMS_MAX = 50
ITEM_CHARS_MAX = 200
REMINDERS_MAX = 3
"""After so many reminders without a change of the list nobody is reminded any more."""


class Item(NamedTuple):
    """One thing to be done."""

    text: str
    done: bool


class _StoredItem(TypedDict):
    text: str
    done: bool


def is_fit(text: str, chars_max: int) -> bool:
    """Whether a text may be a goal or an item: something to read, whole characters, not too long."""
    return is_encodable(text) and not is_blank(text) and len(text) <= chars_max


def read_items(stored: str) -> tuple[Item, ...]:
    """The list as it was stored."""
    found: list[_StoredItem] = json.loads(stored)
    return tuple(Item(one["text"], one["done"]) for one in found)


def write_items(items: Sequence[Item]) -> str:
    """The list as it is stored."""
    return json.dumps([item._asdict() for item in items], ensure_ascii=False)


def n_done(items: Sequence[Item]) -> int:
    """How many of them are done."""
    return sum(item.done for item in items)


def is_reached(items: Sequence[Item]) -> bool:
    """All is done; of an empty list that says nothing."""
    return bool(items) and all(item.done for item in items)


def outline(text: str, items: Sequence[Item]) -> str:
    """A goal and its list as an agent and the person read them."""
    if not items:
        return f"Goal: {text}\nThere is no list yet."
    marked = (f"- [{'x' if item.done else ' '}] {' '.join(item.text.split())}" for item in items)
    return "\n".join((f"Goal: {text}", f"{n_done(items)} of {len(items)} done:", *marked))
