"""Blocking work in a thread of its own, off the event loop.

Not in the loop's pool: its few threads could all be held by slow tools, and a stopping process waits
for them.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_own_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises; it sees a copy of this task's context variables (O-25 c).

    A thread of a cancelled call runs to its end and nobody hears of it.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(give: Callable[[], None]) -> None:
        if not outcome.done():
            give()

    def body() -> None:
        try:
            result = context.run(work)
        except BaseException as raised:  # outermost frame of the thread; raised again in the task
            failure = raised
            give = lambda: outcome.set_exception(failure)  # noqa: E731 -- the other half of the next line
        else:
            give = lambda: outcome.set_result(result)  # noqa: E731 -- see above
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, give)

    threading.Thread(target=body, name="postroom-tool", daemon=True).start()
    return await outcome


async def settled(task: "asyncio.Future[T]") -> None:
    """Wait until a task is done, however often we are told to hurry: for what takes seconds at most."""
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
