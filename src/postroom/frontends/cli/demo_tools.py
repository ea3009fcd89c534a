"""The tools of the demo team: plain functions, as anybody's own would be."""

from typing import Final, Literal

from postroom.tools.python import tool

_NOTES: Final = {
    "lost mail": "An order in the memory of a worker is gone when the worker dies.",
    "doubled mail": "A sender that gives up waiting sends again; both copies are obeyed.",
}


@tool()
def read_notes(topic: Literal["lost mail", "doubled mail"]) -> str:
    """What the notes say about a topic."""
    return _NOTES[topic]


@tool()
def count_words(text: str) -> str:
    """How many words a text has."""
    return f"{len(text.split())} words"


tools = (read_notes, count_words)
