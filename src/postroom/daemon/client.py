"""The other side of the door: one blocking connection, for programs that come and go."""

import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self

from postroom.daemon.wire import (
    ANSWER_S,
    LINE_BYTES_MAX,
    DoorClosed,
    LineTooLong,
    answered,
    closed,
    question,
    silent,
    socket_path,
)
from postroom.domain.plain import Json

KNOCK_S: Final = 0.01
"""How long to wait before a full queue is tried again; a connection is let in within far less."""


class DoorClient:
    """A connection to the process that runs a store. Use it as a context."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")
        self._asked = 0

    @classmethod
    def connect(cls, folder: Path, *, answer_s: float = ANSWER_S) -> Self | None:
        """A connection, or nothing when no process keeps a door to this store.

        `answer_s`: how long an answer may take before it is given up.
        """
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(answer_s)
        try:
            _knock(connection, str(socket_path(folder)), time.monotonic() + answer_s)
        except TimeoutError as error:
            connection.close()
            raise silent() from error
        except OSError:
            connection.close()
            return None
        return cls(connection)

    def __enter__(self) -> Self:
        """Connected already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self._lines.close()
        self._connection.close()

    def ask(self, command: str, arguments: Mapping[str, Json]) -> Json:
        """One command, one answer. Raises `Told`, `DoorClosed`, `DoorSilent` or `LineTooLong`."""
        self._send(command, arguments)
        return self._receive()

    def stream(self, command: str, arguments: Mapping[str, Json]) -> Iterator[Json]:
        """A command with many answers, for as long as the process lives; ends when it does."""
        self._send(command, arguments)
        self._connection.settimeout(None)  # events come when they come
        while True:
            try:
                yield self._receive()
            except DoorClosed:
                return

    def _send(self, command: str, arguments: Mapping[str, Json]) -> None:
        self._asked += 1
        line = question(self._asked, command, arguments)
        if len(line) > LINE_BYTES_MAX:
            raise LineTooLong(
                "the text is longer than 1 MiB", remedy="stop the process that runs the store, or say less"
            )
        try:
            self._connection.sendall(line)
        except TimeoutError as error:
            raise silent() from error
        except OSError as error:
            self._receive()  # whoever hung up may have said why
            raise closed() from error

    def _receive(self) -> Json:
        try:
            return answered(self._lines.readline())
        except TimeoutError as error:
            raise silent() from error
        except OSError as error:
            raise closed() from error


def _knock(connection: socket.socket, path: str, deadline_s: float) -> None:
    """Connect. A queue before the door that is full is no door that is missing: it is waited for."""
    while True:
        try:
            connection.connect(path)
        except BlockingIOError as error:
            if time.monotonic() > deadline_s:
                raise TimeoutError from error
            # A full queue of a Unix socket gives no signal when it empties; the deadline bounds this.
            time.sleep(KNOCK_S)
        else:
            return
