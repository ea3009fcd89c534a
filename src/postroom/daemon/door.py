"""The control door: how other programs reach the process that owns a store.

A Unix socket in the store's folder, mode 0600. Whatever comes through it, the door lives on: every
line that is no request gets an answer with a code, and a connection that misbehaves ends alone. A
socket that somebody deletes is made again.
"""

import asyncio
import contextlib
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from postroom.app import Postroom
from postroom.daemon import commands
from postroom.daemon.wire import (
    LINE_BYTES_MAX,
    POINTER_NAME,
    REQUEST_KEYS,
    SOCKET_NAME,
    BadRequest,
    DoorFull,
    LineTooLong,
    decode,
    encode,
    failure_of,
    fits,
    socket_path,
)
from postroom.domain.plain import Json
from postroom.errors import Fault, unwritable

BACKLOG: Final = 1024
FOLDER_PREFIX: Final = "postroom-door-"
CONNECTIONS_MAX: Final = 128
"""Connections at once: half of the files that the meanest platform lets a process open."""
REMAKE_S: Final = 2.0
"""How often it is looked whether the socket is still there."""
OnFault: TypeAlias = Callable[[str, BaseException], None]
MoreCommands: TypeAlias = Mapping[str, commands.Command]


@contextlib.asynccontextmanager
async def open_door(
    room: Postroom, *, on_fault: OnFault = lambda _name, _fault: None, remake_s: float = REMAKE_S,
    connections_max: int = CONNECTIONS_MAX, more: MoreCommands | None = None,
) -> AsyncGenerator[Path]:  # fmt: skip
    """Let others in for as long as the context lasts. The caller owns the store.

    `more`: commands beside those of every room; the mapping is looked into anew each time. `on_fault`
    hears what no request should cause. Raises `StoreReadOnly` when the socket cannot be made.
    """
    keeper = _Keeper(room, on_fault, connections_max, more)
    door = _Door(room.folder, keeper)
    await door.open()
    keeping = asyncio.create_task(_keep_open(door, on_fault, remake_s), name="door")
    try:
        yield door.path
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        door.shut()
        await keeper.close()
        await door.wait_shut()


class _Door:
    """The socket that is listened at. Somebody may delete it; then there is another."""

    def __init__(self, folder: Path, keeper: "_Keeper") -> None:
        self.path = folder / SOCKET_NAME
        self._folder = folder
        self._keeper = keeper
        self._servers: list[asyncio.Server] = []
        self._place = (0, 0)

    async def open(self) -> None:
        """Listen, instead of where it was listened before."""
        for server in self._servers:  # before there is another: from Python 3.13 on it takes its socket along
            server.close()
        listening, self.path = _bind(self._folder)
        self._place = _place_of(self.path)
        welcome = self._keeper.welcome
        self._servers.append(await asyncio.start_unix_server(welcome, sock=listening, limit=LINE_BYTES_MAX))

    def is_there(self) -> bool:
        """Whether those who look for the door find this one."""
        try:
            return socket_path(self._folder) == self.path and _place_of(self.path) == self._place
        except OSError:
            return False

    def shut(self) -> None:
        """Let nobody in any more."""
        was_there = self.is_there()  # from Python 3.13 on a server takes its socket along
        for server in self._servers:
            server.close()
        if was_there:
            _remove(self._folder, self.path)

    async def wait_shut(self) -> None:
        """Until nobody is inside."""
        for server in self._servers:
            await server.wait_closed()


async def _keep_open(door: _Door, on_fault: OnFault, remake_s: float) -> None:
    """Make the socket again when it is gone; where that fails, later again."""
    while True:
        # Nothing tells of a file that is deleted on every platform; one look costs microseconds.
        await asyncio.sleep(remake_s)
        if not door.is_there():
            try:
                await door.open()
            except (Fault, OSError) as fault:
                on_fault("door.lost", fault)


def _place_of(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


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

    def __init__(
        self, room: Postroom, on_fault: OnFault, connections_max: int, more: MoreCommands | None
    ) -> None:
        self._room = room
        self._more = more
        self._on_fault = on_fault
        self._connections_max = connections_max
        # Changed on the loop only: a connection adds itself and takes itself out.
        self._connections: set[asyncio.Task[None]] = set()

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until it hangs up or the door closes."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 -- a server runs this in a task
        self._connections.add(task)
        try:
            if len(self._connections) > self._connections_max:
                await _answer(writer, None, error=_full(self._connections_max))
                return
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
            command, values = commands.find(*_parts(request), self._more)
            if command.stream is not None:
                answers = command.stream(self._room, values)
                await self._stream(answers, request_id, reader, writer)
                return
            assert command.run is not None  # noqa: S101 -- a command has one of the two
            result = await command.run(self._room, values)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:  # outermost frame of a request: the caller gets the code, the door lives
            if not isinstance(error, Fault):
                self._on_fault("door.crashed", error)
            await _answer(writer, request_id, error=error)
        else:
            await _answer(writer, request_id, result=result)

    @staticmethod
    async def _stream(
        answers: AsyncIterator[Json], request_id: Json, reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:  # fmt: skip
        """Many answers, until the other side hangs up or says anything."""

        async def pour() -> None:
            async for result in answers:
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


def _full(connections_max: int) -> DoorFull:
    return DoorFull(f"{connections_max} are connected already", remedy="try again when some have left")


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
