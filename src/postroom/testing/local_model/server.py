"""The sockets of the local model: HTTP/1.1 on loopback, a thread a request."""

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from pydantic import JsonValue

from postroom.testing.local_model.answer import Answer, Answering
from postroom.testing.local_model.mind import Mind
from postroom.testing.local_model.wire import BadRequest, Body, read_body

MODEL = "local"


class LocalServer(ThreadingHTTPServer):
    """Listens on loopback; port 0 picks a free one. Any key is taken."""

    daemon_threads = True

    def __init__(self, mind: Mind, *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.mind = mind

    @property
    def url(self) -> str:
        """The base URL for an SDK."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that left is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Small pieces of a stream must leave at once.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
        """Nobody reads a log of requests here."""

    def do_GET(self) -> None:
        """The list of models: one."""
        if self.path.rstrip("/") != "/v1/models":
            self._send_error(BadRequest(f"nothing is at {self.path}", status=404))
            return
        self._send_json(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        """One completion."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send_error(BadRequest(f"nothing is at {self.path}", status=404))
            return
        try:
            self._complete(read_body(raw))
        except BadRequest as wrong:
            self._send_error(wrong)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _complete(self, body: Body) -> None:
        mind = cast("LocalServer", self.server).mind
        if not body.stream:
            answer = Answering(mind, body, lambda _piece: True).answer()
            self._send_json(200, _whole(answer, body))
            return
        stream = _Stream(self, body)
        answer = Answering(mind, body, stream.text).answer()
        stream.close(answer)

    def open_stream(self) -> None:
        """Send the head of a stream of events."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        """Send one piece of the body; an empty one ends it."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _send_error(self, wrong: BadRequest) -> None:
        error: dict[str, JsonValue] = {
            "message": str(wrong), "type": "invalid_request_error", "param": None, "code": wrong.code,
        }  # fmt: skip
        self._send_json(wrong.status, {"error": error})

    def _send_json(self, status: int, body: JsonValue) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Stream:
    """An answer in events. It opens with the first of them, so that a refusal still has its status."""

    def __init__(self, handler: _Handler, body: Body) -> None:
        self._handler = handler
        self._body = body
        self._is_open = False

    def text(self, piece: str) -> bool:
        """Send a piece of text; false when the client has left."""
        try:
            self._event({"content": piece})
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def close(self, answer: Answer) -> None:
        """Send what has not been sent, and the end."""
        for delta in _call_deltas(answer):
            self._event(delta)
        self._event({}, finish=answer.finish)
        if self._body.stream_options.include_usage:
            self._send({**_envelope(self._body, "chat.completion.chunk", []), "usage": _usage(answer)})
        self._handler.send_chunk(b"data: [DONE]\n\n")
        self._handler.send_chunk(b"")

    def _event(self, delta: dict[str, JsonValue], finish: str | None = None) -> None:
        if not self._is_open:
            self._is_open = True
            self._handler.open_stream()
            delta = {"role": "assistant", **delta}
        choice: JsonValue = {"index": 0, "delta": delta, "finish_reason": finish}
        self._send(_envelope(self._body, "chat.completion.chunk", [choice]))

    def _send(self, event: dict[str, JsonValue]) -> None:
        self._handler.send_chunk(b"data: " + json.dumps(event).encode() + b"\n\n")


def _whole(answer: Answer, body: Body) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": answer.text or None}
    if answer.tool:
        message["tool_calls"] = [_function(answer, answer.arguments)]
    choice: JsonValue = {"index": 0, "message": message, "finish_reason": answer.finish}
    return {**_envelope(body, "chat.completion", [choice]), "usage": _usage(answer)}


def _call_deltas(answer: Answer) -> Iterator[dict[str, JsonValue]]:
    """The call as vendors stream it: its name first, its arguments behind."""
    if answer.tool:
        yield {"tool_calls": [{"index": 0, **_function(answer, "")}]}
        yield {"tool_calls": [{"index": 0, "function": {"arguments": answer.arguments}}]}


def _function(answer: Answer, arguments: str) -> dict[str, JsonValue]:
    function: JsonValue = {"name": answer.tool, "arguments": arguments}
    return {"id": answer.call_id, "type": "function", "function": function}


def _envelope(body: Body, kind: str, choices: list[JsonValue]) -> dict[str, JsonValue]:
    return {
        "id": "chatcmpl-local", "object": kind, "created": int(time.time()), "model": body.model,
        "choices": choices,
    }  # fmt: skip


def _usage(answer: Answer) -> JsonValue:
    return {
        "prompt_tokens": answer.input_tokens, "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
    }  # fmt: skip
