"""What the person types, line by line, while something else goes on."""

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Final

_READ_BYTES: Final = 65_536


def read_lines(on_line: Callable[[str | None], None]) -> None:
    """Call `on_line` on the running loop with every line of standard input, and with none at its end.

    A thread of its own waits for it: a file cannot be waited for with a selector, and the thread dies with
    the process. It reads from the descriptor, because whoever waits inside of `sys.stdin` holds a lock that
    the interpreter wants at its end.
    """
    loop = asyncio.get_running_loop()

    def tell(line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(on_line, line)
        except RuntimeError:  # the loop has ended, and nobody listens any more
            return

    threading.Thread(target=_read, args=(tell,), name="keyboard", daemon=True).start()


def _read(tell: Callable[[str | None], None]) -> None:
    begun = b""
    while True:
        try:
            got = os.read(0, _READ_BYTES)
        except OSError:  # the terminal is gone
            got = b""
        *lines, begun = (begun + got).split(b"\n")
        for line in lines:
            tell(_text(line))
        if not got:
            if begun:
                tell(_text(begun))
            tell(None)
            return


def _text(line: bytes) -> str:
    """What is no UTF-8 becomes what the store refuses, and says so."""
    return line.rstrip(b"\r").decode("utf-8", "surrogateescape")
