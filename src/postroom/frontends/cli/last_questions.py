"""Nothing waits for an answer where nobody is there to give it: what only a question keeps from ending, ends.

The question stays open in the store, for a person at another terminal.
"""

from collections.abc import Sequence
from pathlib import Path

from postroom.app import Postroom
from postroom.app.ending import unless_asked
from postroom.frontends.cli.ask_texts import short_id
from postroom.frontends.cli.exits import QuestionOpen
from postroom.frontends.cli.running import store_words
from postroom.frontends.cli.words import counted


async def rest_unless_asked(room: Postroom) -> None:
    """Wait until nothing is left to do. Raises `QuestionOpen` when only questions are left."""
    if found := await unless_asked(room, None, room.rest()):
        raise question_open(room.folder, [one.ask_id for one in found])


def question_open(store: Path, ask_ids: Sequence[str]) -> QuestionOpen:
    """What is said of questions that stay open, and how the first of them is answered."""
    answer = store_words(store, "answer", short_id(ask_ids[0]))
    return QuestionOpen(
        f"only {counted(len(ask_ids), 'question')} to you keeps it from ending, and nobody is here to answer",
        remedy=f"it stays open; answer it: {answer} TEXT --run",
    )
