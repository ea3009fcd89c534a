"""What a person and a system end a command with, and that it ends in order then."""

import asyncio
import os
import signal
from collections.abc import Callable
from types import FrameType

from postroom.frontends.cli.exits import INTERRUPTED


def listen_for_signals() -> asyncio.Event:
    """Set by Ctrl-C, SIGTERM, and a terminal that goes away; a second Ctrl-C ends the process at once."""
    called_off = asyncio.Event()
    loop = asyncio.get_running_loop()

    def first() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, _end_at_once)
        called_off.set()

    loop.add_signal_handler(signal.SIGINT, first)
    on_end(called_off.set)
    return called_off


def on_end(leave: Callable[[], object]) -> None:
    """What SIGTERM does, and a terminal that goes away, unless `nohup` was meant to keep that off."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, leave)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, leave)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """The second Ctrl-C: a signal handler that waits for nothing."""
    del number, frame
    os._exit(INTERRUPTED)
