"""Named pipes by which tests hear what processes do.

No thread waits in them: one that nobody ever writes to would hold up the end of the whole run.
"""

import asyncio
import os
from asyncio import StreamReader, StreamReaderProtocol
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from postroom.testing.world import PATIENCE_S


async def heard(pipe: Path) -> str:
    """All that is written until nobody holds the pipe open any more, once somebody has."""
    async with _reading(pipe, os.O_RDONLY) as reader:
        return (await reader.read()).decode()


async def lines(pipe: Path, count: int = 1) -> list[str]:
    """What is written once it is so many lines, by one process or by several."""
    # Open for writing too: nobody finds the pipe just being closed because the others have been heard.
    async with _reading(pipe, os.O_RDWR) as reader:
        return [(await reader.readline()).decode() for _ in range(count)]


@asynccontextmanager
async def _reading(pipe: Path, mode: int) -> AsyncGenerator[StreamReader]:
    reader = StreamReader()
    file = os.fdopen(os.open(pipe, mode | os.O_NONBLOCK), "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: StreamReaderProtocol(reader), file
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield reader
    finally:
        transport.close()
