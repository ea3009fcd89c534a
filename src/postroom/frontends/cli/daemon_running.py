"""A daemon that runs in this process: signals answered cleanly, work done beside, everything closed behind.

Ctrl-C, SIGTERM, and a terminal that goes away end it, the last of them not under `nohup`; a second Ctrl-C
ends the process at once, which loses nothing either.
"""

import asyncio
import contextlib
import resource
from collections.abc import Callable, Coroutine
from typing import Final

from postroom.app import Postroom
from postroom.daemon.api.house import House
from postroom.daemon.up import up
from postroom.frontends.cli.running import Plan, made
from postroom.frontends.cli.signals import listen_for_signals
from postroom.frontends.web import STATIC
from postroom.observe.logs import RoomLog

FILES_MOST: Final = 16_384
"""Files that the process may have open, where the platform lets it say so: each page has a connection."""


def run_daemon(plan: Plan, work: Callable[[House], Coroutine[None, None, int]]) -> int | None:
    """Serve the store of a plan until `work` is done; nothing when somebody ended the daemon before.

    Raises `StoreInUse`, `ConfigFault`, `PortTaken` and what keeps a room from being opened.
    """
    _let_many_in()
    return asyncio.run(_run(plan, work))


async def _run(plan: Plan, work: Callable[[House], Coroutine[None, None, int]]) -> int | None:
    called_off = listen_for_signals()
    room, log = made(plan)
    with contextlib.closing(log):
        return await _keep_up(plan, room, log, called_off, work)


async def _keep_up(
    plan: Plan, room: Postroom, log: RoomLog, called_off: asyncio.Event,
    work: Callable[[House], Coroutine[None, None, int]],
) -> int | None:  # fmt: skip
    async with room, up(room, log, plan.config.daemon, page=STATIC) as house:
        working = asyncio.ensure_future(work(house))
        ending = asyncio.ensure_future(_either(called_off, house))
        try:
            await asyncio.wait((working, ending), return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)


async def _either(called_off: asyncio.Event, house: House) -> None:
    """Until a signal has come, or somebody has told the daemon to end."""
    signalled = asyncio.ensure_future(called_off.wait())
    signalled.add_done_callback(lambda done: None if done.cancelled() else house.life.end())
    try:
        await house.life.ended()
    finally:
        signalled.cancel()


def _let_many_in() -> None:
    """As many files as the platform gives; where it gives no more, fewer can be connected."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MOST if hard == resource.RLIM_INFINITY else min(hard, FILES_MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
