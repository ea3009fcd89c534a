"""The sockets of the emulated provider: HTTP/1.1 on loopback, a thread a request.

Besides the vendors' paths there is `/_control/`: the log, gates, and waits for either, so that a test
never has to guess when something has happened.
"""

import json
import select
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import parse_qs, unquote, urlsplit

from postroom.llm.port import Json
from postroom.testing.provider_emulator.answers import Piece
from postroom.testing.provider_emulator.asked import Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply, Rule
from postroom.testing.provider_emulator.desk import Asker, Desk, Entry, Reply
from postroom.testing.provider_emulator.plan import Plan, Trouble
from postroom.testing.provider_emulator.wires import OPENAI, dialect_for

_LONGEST_WAIT_S = 30.0
# Far below any limit of silence that a test would set.
_KEEPALIVE_S = 0.02


class EmulatorServer(ThreadingHTTPServer):
    """Listens on loopback; port 0 picks a free one."""

    daemon_threads = True

    def __init__(self, plan: Plan, *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.desk = Desk(plan)
        # Never set while serving: a wait on it is a pause that ends with the server.
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """The base URL for the OpenAI SDK."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that left is no news; the log has it already."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Small pieces of a stream must leave at once.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
        """The log is kept by the desk."""

    @property
    def _desk(self) -> Desk:
        return cast("EmulatorServer", self.server).desk

    def do_GET(self) -> None:
        """The reading control paths."""
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        count = int(query.get("count", "1"))
        match parts.path.strip("/").split("/"):
            case ["_control", "log"]:
                self._send_json(200, self._desk.log())
            case ["_control", "requests"]:
                self._send_json(200, self._desk.await_requests(count, _LONGEST_WAIT_S))
            case ["_control", "gates", name]:
                reached = self._desk.await_arrivals(unquote(name), count, _LONGEST_WAIT_S)
                self._send_json(200, reached)
            case _:
                self._send_unknown()

    def do_POST(self) -> None:
        """An answer of the model, or a gate to open."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = urlsplit(self.path)
        dialect = dialect_for(parts.path)
        match parts.path.strip("/").split("/"):
            case ["_control", "open", name]:
                self._desk.open_gate(unquote(name))
                self._send_json(200, {"open": name})
            case _ if dialect is not None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                incoming = Incoming(path=self.path, headers=headers, raw=raw)
                self._answer(self._desk.arrive(self._asker(), dialect, incoming))
            case _:
                self._send_unknown()

    def _answer(self, entry: Entry) -> None:
        try:
            reply = self._desk.decide(entry)
        except Breach as breach:
            error = entry.dialect.error(breach)
            self._desk.close(entry, "refused", status=error.status, failure=f"{breach.rule}: {error.message}")
            self._send_error(error)
            return
        try:
            self._desk.pass_gate(reply.wire.gate)
            self._travel(entry, reply)
        except (BrokenPipeError, ConnectionResetError):
            self._desk.close(entry, "client_left", status=200)
            self.close_connection = True

    def _travel(self, entry: Entry, reply: Reply) -> None:
        breach = reply.breach()
        if breach is not None and not (reply.stream and reply.wire.trouble is Trouble.ERROR_IN_STREAM):
            error = reply.dialect.error(breach)
            overload = reply.wire.trouble is Trouble.OVERLOAD
            outcome = "overloaded" if overload else reply.wire.trouble
            self._desk.close(entry, outcome, status=error.status)
            if error.status == 200 and reply.stream:  # noqa: PLR2004 - HTTP: a vendor may refuse politely
                self._send(200, reply.dialect.stream_error(breach), "text/event-stream")
            else:
                self._send_error(error)
        elif reply.stream:
            self._send_stream(entry, reply, breach)
        elif reply.wire.trouble is Trouble.NONE:
            self._pause(reply.wire.slow_s)
            self._desk.close(entry, "answered", status=200)
            self._send(200, reply.dialect.whole(reply.answer), "application/json")
        else:
            self._desk.close(entry, reply.wire.trouble, status=0)
            self.close_connection = True

    def _send_stream(self, entry: Entry, reply: Reply, breach: Breach | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        sent: list[str] = []
        for piece in reply.dialect.pieces(reply.answer):
            if _strikes(reply.wire.trouble, piece, sent):
                if breach is not None:
                    self._send_chunk(reply.dialect.stream_error(breach))
                self._break_off(entry, reply)
                return
            self._pause(reply.wire.slow_s)
            if piece.data:  # an empty chunk would end the body
                self._send_chunk(piece.data)
            sent.append(piece.of)
        # Before the last byte, so that whoever has the answer also finds it in the log.
        self._desk.close(entry, "answered", status=200)
        self._send_chunk(b"")

    def _break_off(self, entry: Entry, reply: Reply) -> None:
        self._desk.close(entry, reply.wire.trouble, status=200)
        self.close_connection = True
        if reply.wire.trouble in {Trouble.ENDS_EARLY, Trouble.ERROR_IN_STREAM}:
            self._send_chunk(b"")
        elif reply.wire.trouble is Trouble.SILENT:
            # Until the client hangs up: then its side becomes readable, and empty.
            select.select([self.connection], [], [])
        elif reply.wire.trouble is Trouble.KEEPALIVE:
            self._keep_alive(reply)

    def _keep_alive(self, reply: Reply) -> None:
        """Until the client hangs up or the server closes."""
        while not cast("EmulatorServer", self.server).closing.wait(_KEEPALIVE_S):
            self._send_chunk(reply.dialect.keepalive)

    def _asker(self) -> Asker:
        return Asker(
            agent=unquote(self.headers.get("x-postroom-agent", "")),
            branch=unquote(self.headers.get("x-postroom-branch", "")),
            purpose=self.headers.get("x-postroom-purpose", "turn"),
            covered=int(self.headers.get("x-postroom-covered", "0")),
        )

    def _pause(self, seconds: float) -> None:
        if seconds:
            cast("EmulatorServer", self.server).closing.wait(seconds)

    def _send_unknown(self) -> None:
        self._send_error(OPENAI.error(Breach(Rule.UNKNOWN_PATH, status=404, names=(self.path,))))

    def _send_error(self, error: ErrorReply) -> None:
        body = json.dumps(dict(error.body)).encode()
        self._send(error.status, body, "application/json", error.headers)

    def _send_json(self, status: int, body: Json) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


def _strikes(trouble: Trouble, piece: Piece, sent: list[str]) -> bool:
    """Whether the trouble comes before this piece is sent."""
    match trouble:
        case Trouble.CUT_IN_TEXT:
            return sent[-1:] == ["text"]
        case Trouble.CUT_IN_CALL:
            # Name and first arguments are out, the rest is not.
            return sent[-2:] == ["call", "call"]
        case Trouble.ENDS_EARLY:
            return piece.of == "finish"
        case Trouble.SILENT | Trouble.KEEPALIVE:
            return bool(sent)
        case Trouble.ERROR_IN_STREAM:
            return sent[-1:] in (["text"], ["call"])
        case Trouble.NONE | Trouble.OVERLOAD | Trouble.TOO_LONG | Trouble.NO_CREDIT | Trouble.BLOCKED:
            return False
