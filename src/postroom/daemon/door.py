"""The control door: how other programs reach the process that owns a store.

A Unix socket in the store's folder, mode 0600. Whatever comes through it, the door lives on: every
line that is no request gets an answer with a code, and a connection that misbehaves ends alone.
"""

import asyncio
import contextlib
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

from postroom.app import Postroom
from postroom.daemon import commands
from postroom.daemon.commands import Command, Values
from postroom.daemon.wire import (
    LINE_BYTES_MAX,
    POINTER_NAME,
    REQUEST_KEYS,
    SOCKET_NAME,
    BadRequest,
    LineTooLong,
    decode,
    encode,
    failure_of,
    fits,
)
from postroom.domain.plain import Json
from postroom.errors import unwritable

BACKLOG: Final = 1024
FOLDER_PREFIX: Final = "postroom-door-"


@contextlib.asynccontextmanager
async def open_door(room: Postroom) -> AsyncGenerator[Path]:
    """Let others in for as long as the context lasts. The caller owns the store.

    Raises `StoreReadOnly` when the socket cannot be made.
    """
    listening, path = _bind(room.folder)
    keeper = _Keeper(room)
    server = await asyncio.start_unix_server(keeper.welcome, sock=listening, limit=LINE_BYTES_MAX)
    try:
        yield path
    finally:
        server.close()
        await keeper.close()
        await server.wait_closed()
        _remove(room.folder, path)


def _bind(folder: Path) -> tuple[socket.socket, Path]:
    """A listening socket that only its owner may open; what a dead process left is replaced."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale(folder)
        path = _place(folder)
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise unwritable(
            error, f"the control door in {folder} cannot be opened",
            remedy="check the rights of the folder, or choose another with --store",
        ) from error  # fmt: skip
    return listening, path


def _place(folder: Path) -> Path:
    """In the store's folder, or, when its path is too long for a socket, in a private one it names."""
    path = folder / SOCKET_NAME
    if fits(path):
        return path
    path = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX)) / SOCKET_NAME
    pointer = folder / POINTER_NAME
    pointer.write_text(f"{path}\n", encoding="utf-8")
    pointer.chmod(0o600)
    return path


def _remove_stale(folder: Path) -> None:
    """Whoever holds the lock owns the door, so what lies there was left by a dead process."""
    (folder / SOCKET_NAME).unlink(missing_ok=True)
    pointer = folder / POINTER_NAME
    with contextlib.suppress(OSError, UnicodeDecodeError):
        _remove_private(Path(pointer.read_text(encoding="utf-8").strip()))
    pointer.unlink(missing_ok=True)


def _remove(folder: Path, path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        if path.parent != folder:
            (folder / POINTER_NAME).unlink(missing_ok=True)
            _remove_private(path)


def _remove_private(path: Path) -> None:
    """Only a folder that a door has made for itself, and that is this user's."""
    folder = path.parent
    if path.name != SOCKET_NAME or not folder.name.startswith(FOLDER_PREFIX):
        return
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
        shutil.rmtree(folder, ignore_errors=True)


class _Keeper:
    """Answers every connection, one request after the other."""

    def __init__(self, room: Postroom) -> None:
        self._room = room
        # Changed on the loop only: a connection adds itself and takes itself out.
        self._connections: set[asyncio.Task[None]] = set()

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until it hangs up or the door closes."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 -- a server runs this in a task
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            self._connections.discard(task)
            writer.close()

    async def close(self) -> None:
        """Hang up on everybody."""
        listed = list(self._connections)
        for task in listed:
            task.cancel()
        await asyncio.gather(*listed, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await _line(reader)
            except LineTooLong as fault:
                await _answer(writer, None, error=fault)
                continue
            if line is None:
                return
            if line.strip():
                await self._request(line, reader, writer)

    async def _request(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request_id: Json = None
        try:
            request = decode(line)
            request_id = _id_of(request)
            command, values = commands.find(*_parts(request))
            if command.stream is not None:
                await self._stream(command, values, request_id, reader, writer)
                return
            assert command.run is not None  # noqa: S101 -- a command has one of the two
            result = await command.run(self._room, values)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:  # outermost frame of a request: the caller gets the code, the door lives
            await _answer(writer, request_id, error=error)
        else:
            await _answer(writer, request_id, result=result)

    async def _stream(
        self, command: Command, values: Values, request_id: Json, reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:  # fmt: skip
        """Many answers, until the other side hangs up or says anything."""
        assert command.stream is not None  # noqa: S101 -- asked for by the caller

        async def pour() -> None:
            async for result in command.stream(self._room, values):  # pyright: ignore[reportOptionalCall]
                await _answer(writer, request_id, result=result, more=True)

        pouring = asyncio.ensure_future(pour())
        listening = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((pouring, listening), return_when=asyncio.FIRST_COMPLETED)
        finally:
            pouring.cancel()
            listening.cancel()
            ended = await asyncio.gather(pouring, listening, return_exceptions=True)
        if isinstance(ended[0], Exception):
            raise ended[0]
        raise ConnectionResetError


async def _line(reader: asyncio.StreamReader) -> bytes | None:
    """The next line; nothing at the end. A line past the limit is read over whole, then refused."""
    too_long = False
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError as overrun:
            too_long = True
            await reader.readexactly(overrun.consumed)
        else:
            if too_long:
                raise LineTooLong("the line is longer than 1 MiB", remedy="send less at once")
            return line


def _id_of(request: dict[str, Json]) -> Json:
    found = request.get("id")
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _parts(request: dict[str, Json]) -> tuple[str, dict[str, Json]]:
    unknown = sorted(request.keys() - REQUEST_KEYS)
    if unknown:
        raise BadRequest(f"unknown key {unknown[0][:64]!r}", remedy="send id, command and arguments")
    if _id_of(request) is None:
        raise BadRequest(
            "id is missing or neither a number nor a text", remedy="send id, command and arguments"
        )
    command, arguments = request.get("command"), request.get("arguments", {})
    if not isinstance(command, str) or not isinstance(arguments, dict):
        raise BadRequest("command is no text or arguments no object", remedy="send id, command and arguments")
    return command, arguments


async def _answer(
    writer: asyncio.StreamWriter, request_id: Json, *, result: Json = None,
    error: BaseException | None = None, more: bool = False,
) -> None:  # fmt: skip
    line: dict[str, Json] = {"id": request_id, "ok": error is None}
    if error is not None:
        line["error"] = failure_of(error).as_json()
    else:
        line["result"] = result
    if more:
        line["more"] = True
    writer.write(encode(line))
    await writer.drain()
