"""Nothing waits for an answer where nobody is there to give it: what only a question keeps from ending, ends.

The question stays open in the store, for a person at another terminal.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar

from postroom.app import Postroom
from postroom.app.ending import last_questions
from postroom.frontends.cli.ask_texts import short_id
from postroom.frontends.cli.exits import QuestionOpen
from postroom.frontends.cli.running import store_words
from postroom.frontends.cli.words import counted

T = TypeVar("T")


async def unless_asked(room: Postroom, session: str | None, work: Awaitable[T]) -> T:
    """What comes of `work`, which waits for a tree or for all of them.

    Raises `QuestionOpen` as soon as nothing but questions keeps it from ending.
    """
    working = asyncio.ensure_future(work)
    asked = asyncio.ensure_future(last_questions(room, session))
    try:
        await asyncio.wait((working, asked), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise question_open(room.folder, [one.ask_id for one in asked.result()])
    finally:
        working.cancel()
        asked.cancel()
        await asyncio.gather(working, asked, return_exceptions=True)


def question_open(store: Path, ask_ids: Sequence[str]) -> QuestionOpen:
    """What is said of questions that stay open, and how the first of them is answered."""
    answer = store_words(store, "answer", short_id(ask_ids[0]))
    return QuestionOpen(
        f"only {counted(len(ask_ids), 'question')} to you keeps it from ending, and nobody is here to answer",
        remedy=f"it stays open; answer it: {answer} TEXT --run",
    )
