"""A server that is a program: its messages over standard input and output, its end with its children.

The SDK has such a transport too. Ours differs where a durable process must: the environment is
clean whatever ours holds, a message has a largest size, the end of the process is noticed though a
child of it keeps the output open, and its group can be killed by whoever is being cancelled (see
docs/why/0019-one-task-for-each-mcp-server.md).
"""

import asyncio
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeAlias, TypeVar, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter

from postroom.tools.servers.log import ServerLog
from postroom.tools.servers.target import Target
from postroom.tools.servers.wire import MESSAGE_BYTES_MAX
from postroom.tools.shell.group import signal_group

_GRACE_S: Final = 1.0
"""Given twice: after its input was closed, and after it was asked to end."""
_LAST_WORDS_S: Final = 0.5
"""How long the output of a dead server is still read; a child of it may hold it open for ever."""
PARTS_MAX: Final = 2_000
"""Parts of one answer that are handed on."""
_CHUNK_BYTES: Final = 64 * 1024
_SHOWN_CHARS: Final = 500

Pipe = TypeVar("Pipe")
_Inbound: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
_Outbound: TypeAlias = MemoryObjectReceiveStream[SessionMessage]
_Streams: TypeAlias = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


class _Protocol(SubprocessStreamProtocol):
    """Says when the process has ended; `Process.wait` also waits until nobody holds its pipes."""

    def __init__(self) -> None:
        super().__init__(limit=MESSAGE_BYTES_MAX, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class StdioWire:
    """One run of the program. `on_end` is told when nothing more will come from it."""

    def __init__(self, target: Target, *, cwd: Path, log: ServerLog, on_end: Callable[[], None]) -> None:
        self.epitaph: str = ""
        self._target = target
        self._cwd = cwd
        self._log = log
        self._on_end = on_end
        self._pid: int | None = None
        self._read_all = asyncio.Event()
        self._is_ending = False

    def transport(self) -> Transport:
        """The program's streams; it is started on entering and ended on leaving."""
        return self._run()

    def kill(self) -> None:
        """Kill the whole group: the program and the children that stayed with it."""
        if self._pid is not None:
            signal_group(self._pid, signal.SIGKILL)  # its number is free again when nobody is left in it

    @asynccontextmanager
    async def _run(self) -> AsyncGenerator[_Streams]:
        transport, protocol = await self._spawn()
        # Nothing waits between here and the `try`: whoever is cancelled after it leaves no process.
        self._pid = transport.get_pid()
        process = Process(transport, protocol, asyncio.get_running_loop())
        to_us, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbound, from_us = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._read, process, to_us)
                group.start_soon(self._write, process, from_us, to_us)
                group.start_soon(self._follow, process)
                group.start_soon(self._watch, process, protocol.exited, to_us)
                try:
                    yield inbound, outbound
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._end(process, protocol.exited)
                    group.cancel_scope.cancel()
        finally:
            self.kill()
            transport.close()
            self._log.flush()
            for stream in (to_us, inbound, outbound, from_us):
                stream.close()

    async def _spawn(self) -> tuple[asyncio.SubprocessTransport, _Protocol]:
        # Whole or not at all: a start that is cut in the middle leaves a process that nobody waits for.
        starting = asyncio.get_running_loop().subprocess_exec(
            _Protocol,
            *self._target.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self._cwd,
            env=dict(self._target.env),
            start_new_session=True,
        )
        started = None
        with anyio.CancelScope(shield=True):
            started = await starting
        return _there(started)

    async def _read(self, process: Process, to_us: _Inbound) -> None:
        """Hand on each message. Ends when the output ends, or the session wants no more."""
        stdout = _there(process.stdout)
        try:
            while line := await stdout.readline():
                await self._deliver(line, to_us)
        except ValueError:
            self.epitaph = f"sent a message of more than {MESSAGE_BYTES_MAX // 1024**2} MiB"
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            return
        finally:
            self._read_all.set()
            to_us.close()
            self._on_end()

    async def _deliver(self, line: bytes, to_us: _Inbound) -> None:
        if not line.strip():
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            # Many a server greets on the wrong stream; that must not end it.
            shown = self._target.mask(line.decode("utf-8", "replace"))[:_SHOWN_CHARS].rstrip()
            self._log.note(f"on standard output, and no message: {shown}")
            return
        await to_us.send(SessionMessage(_bounded(message)))

    async def _write(self, process: Process, from_us: _Outbound, to_us: _Inbound) -> None:
        stdin = _there(process.stdin)
        try:
            async for item in from_us:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
        except (ConnectionError, RuntimeError):  # its input is closed; nothing can be asked any more
            to_us.close()
            self._on_end()
        finally:
            from_us.close()

    async def _follow(self, process: Process) -> None:
        stderr = _there(process.stderr)
        while chunk := await stderr.read(_CHUNK_BYTES):
            self._log.write(chunk)

    async def _watch(self, process: Process, exited: asyncio.Event, to_us: _Inbound) -> None:
        """Notice the end of the process, and end what it left behind."""
        await exited.wait()
        self._say_how(process.returncode)
        self.kill()
        with anyio.move_on_after(_LAST_WORDS_S):
            await self._read_all.wait()
        to_us.close()
        self._on_end()

    def _say_how(self, code: int | None) -> None:
        if self._is_ending or self.epitaph or code is None:
            return
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self.epitaph = f"{ended}; its log is {self._log.path.name}"

    async def _end(self, process: Process, exited: asyncio.Event) -> None:
        """Close its input, ask, kill: in the order that the protocol names."""
        if self._read_all.is_set() and not await _within(_LAST_WORDS_S, exited):
            self.epitaph = self.epitaph or "closed its standard output"
        self._say_how(process.returncode)
        self._is_ending = True
        _there(process.stdin).close()
        if await _within(_GRACE_S, exited):
            return
        signal_group(process.pid, signal.SIGTERM)
        if not await _within(_GRACE_S, exited):
            self.kill()
            await _within(_GRACE_S, exited)


def _bounded(message: JSONRPCMessage) -> JSONRPCMessage:
    """The message with no more parts than anybody reads: the SDK looks at each, and on the loop."""
    parts: object = message.result.get("content") if isinstance(message, JSONRPCResponse) else None
    if isinstance(message, JSONRPCResponse) and isinstance(parts, list):
        known = cast("list[object]", parts)
        if len(known) > PARTS_MAX:
            note = f"[the other {len(known) - PARTS_MAX} parts of the answer are left out]"
            message.result["content"] = [*known[:PARTS_MAX], {"type": "text", "text": note}]
    return message


async def _within(seconds: float, event: asyncio.Event) -> bool:
    with anyio.move_on_after(seconds):
        await event.wait()
    return event.is_set()


def _there(pipe: Pipe | None) -> Pipe:
    assert pipe is not None  # noqa: S101 -- it was asked for
    return pipe
