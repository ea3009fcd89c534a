"""How a prompt's tree ends, for whoever waits: it answers, cannot begin, or only a question is left."""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from postroom.app import Postroom, Prompt
from postroom.app.talk import SaidBefore
from postroom.errors import NotFound
from postroom.observe.asks import AskView
from postroom.observe.views import End

T = TypeVar("T")
SETTLE_S: Final = 5.0
"""How long after the last turn an answer may still be on its way to whoever waits for it."""


async def ending(room: Postroom, prompt: Prompt | SaidBefore) -> End:
    """The end of the prompt's tree. Raises what keeps its turn from starting, if nothing runs any more.

    What waits for the person runs nowhere, and yet goes on when they decide.
    """
    waiting = asyncio.ensure_future(room.wait(prompt, tree=True))
    try:
        while not waiting.done():
            await _until_rest_or(waiting, room)
            await asyncio.wait((waiting,), timeout=SETTLE_S)
            asked = await room.asks(prompt.session_id)
            if not waiting.done() and room.is_at_rest and not asked:
                raise next(iter(room.agents.broken.values()), _stuck(prompt))
        return waiting.result()
    finally:
        waiting.cancel()


async def ending_unless_asked(room: Postroom, prompt: Prompt | SaidBefore) -> End | list[AskView]:
    """The same where nobody is there; the questions, as soon as nothing else keeps the tree from ending."""
    return await unless_asked(room, prompt.session_id, ending(room, prompt))


async def unless_asked(room: Postroom, session: str | None, work: Awaitable[T]) -> T | list[AskView]:
    """What comes of `work`, which waits for a tree or for all of them; else the questions that keep it."""
    working = asyncio.ensure_future(work)
    asked = asyncio.ensure_future(_last_questions(room, session))
    try:
        await asyncio.wait((working, asked), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else asked.result()
    finally:
        working.cancel()
        asked.cancel()
        await asyncio.gather(working, asked, return_exceptions=True)


async def _last_questions(room: Postroom, session: str | None) -> list[AskView]:
    """Wait until nothing but questions keeps a tree, or all of them, from ending; those questions."""
    listener = room.store.doorbell.listen()
    try:
        while not (found := await room.last_questions(session)):
            await listener.wait()
            listener.clear()
        return found
    finally:
        room.store.doorbell.leave(listener)


async def _until_rest_or(waiting: asyncio.Future[End], room: Postroom) -> None:
    """Wait until the answer is there, or nothing is left in this process that could bring it."""
    resting = asyncio.ensure_future(room.rest())
    try:
        await asyncio.wait((waiting, resting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        resting.cancel()


def _stuck(prompt: Prompt | SaidBefore) -> NotFound:
    return NotFound(
        f"nothing runs, and the turn of session {prompt.session_id} has not started",
        remedy="is its profile still in the team folder? see `postroom check`",
    )
