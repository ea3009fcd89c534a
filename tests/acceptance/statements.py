"""What is asked of the store while something happens: every statement, in order, without its values."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from postroom.testing.world import World

_TEXT = re.compile(r"'(?:[^']|'')*'")
_NUMBER = re.compile(r"\b\d+\b")


@contextmanager
def statements(world: World) -> Iterator[list[str]]:
    """The statements of the writer and of the readers, as they run, until the end of the block."""
    heard: list[str] = []
    _listen(world, lambda statement: heard.append(_NUMBER.sub("?", _TEXT.sub("?", statement))))
    try:
        yield heard
    finally:
        _listen(world, None)


@contextmanager
def effort(world: World) -> Iterator[list[int]]:
    """How many of its instructions the database has run for readers, until the end of the block.

    Each one is counted: the database adds up what a kept statement has run over all its calls, so a coarser
    count would depend on what was asked before.
    """
    spent = [0]

    def tick() -> int:
        spent[0] += 1
        return 0

    _watch(world, tick)
    try:
        yield spent
    finally:
        _watch(world, None)


def _watch(world: World, tick: Callable[[], int] | None) -> None:
    readers = world.room.store._readers  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    for reader in [readers.get() for _ in range(readers.qsize())]:
        reader.set_progress_handler(tick, 1)
        readers.put(reader)


def _listen(world: World, callback: Callable[[str], None] | None) -> None:
    store = world.room.store  # below the named statements there is no door
    assert store._connection is not None  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    store._connection.set_trace_callback(callback)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    readers = store._readers  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    for reader in [readers.get() for _ in range(readers.qsize())]:
        reader.set_trace_callback(callback)
        readers.put(reader)
