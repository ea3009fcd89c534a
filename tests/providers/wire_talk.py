"""The three wires as tests speak them: raw requests over HTTP, built from the same few words."""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Protocol, cast

from postroom.llm.port import Json
from postroom.testing.provider_emulator import Plan
from postroom.testing.provider_emulator.server import EmulatorServer

Fields = dict[str, Json]
# Google documents it for calls that another model made.
DUMMY_SIGNATURE = "skip_thought_signature_validator"
PNG = "iVBORw0KGgo="


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back: status, headers and body."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Fields:
        return cast("Fields", json.loads(self.raw))

    @property
    def error(self) -> Fields:
        return cast("Fields", self.body["error"])

    @property
    def cached(self) -> int:
        """The tokens that were read from the cache, by whatever name."""
        usage = cast("Fields", self.body.get("usage") or self.body.get("usageMetadata"))
        details = cast("Fields", usage.get("prompt_tokens_details") or {})
        found = usage.get("cache_read_input_tokens") or usage.get("cachedContentTokenCount")
        return int(str(found or details.get("cached_tokens") or 0))

    @property
    def events(self) -> list[Fields]:
        """The events of a stream but for its end mark."""
        lines = [line[6:] for line in self.raw.decode().splitlines() if line.startswith("data: {")]
        return [cast("Fields", json.loads(line)) for line in lines]


class WireTalk(Protocol):
    """One wire: where it is, how it is asked, and the messages of its requests."""

    name: str
    path: str
    stream_path: str

    def headers(self, key: str | None) -> dict[str, str]: ...

    def user(self, text: str = "hi") -> Json: ...

    def asks(self, *ids: str) -> Json: ...

    def says(self, text: str) -> Json: ...

    def result(self, call_id: str, text: str = "found") -> Json: ...

    def picture(self, media_type: str, data: str) -> Json: ...

    def fields(self, *messages: Json, tool: str = "look", stream: bool = False) -> Fields: ...


class OpenAITalk:
    """Chat completions."""

    name = "openai"
    path = stream_path = "/v1/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def user(self, text: str = "hi") -> Json:
        return {"role": "user", "content": text}

    def asks(self, *ids: str) -> Json:
        function: Json = {"name": "look", "arguments": "{}"}
        calls: list[Json] = [{"id": each, "type": "function", "function": function} for each in ids]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def says(self, text: str) -> Json:
        return {"role": "assistant", "content": text}

    def result(self, call_id: str, text: str = "found") -> Json:
        return {"role": "tool", "tool_call_id": call_id, "content": text}

    def picture(self, media_type: str, data: str) -> Json:
        url = f"data:{media_type};base64,{data}"
        return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}

    def fields(self, *messages: Json, tool: str = "look", stream: bool = False) -> Fields:
        function: Json = {"name": tool, "parameters": {"type": "object"}}
        tools: list[Json] = [{"type": "function", "function": function}]
        more: Fields = {"stream_options": {"include_usage": True}} if stream else {}
        return {"model": "m", "messages": list(messages), "tools": tools, "stream": stream, **more}


class AnthropicTalk:
    """Messages."""

    name = "anthropic"
    path = stream_path = "/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01"} | ({} if key is None else {"x-api-key": key})

    def user(self, text: str = "hi") -> Json:
        return {"role": "user", "content": text}

    def asks(self, *ids: str) -> Json:
        calls: list[Json] = [{"type": "tool_use", "id": each, "name": "look", "input": {}} for each in ids]
        return {"role": "assistant", "content": calls}

    def says(self, text: str) -> Json:
        return {"role": "assistant", "content": text}

    def result(self, call_id: str, text: str = "found") -> Json:
        block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        return {"role": "user", "content": [block]}

    def picture(self, media_type: str, data: str) -> Json:
        source: Json = {"type": "base64", "media_type": media_type, "data": data}
        return {"role": "user", "content": [{"type": "image", "source": source}]}

    def fields(self, *messages: Json, tool: str = "look", stream: bool = False) -> Fields:
        tools: list[Json] = [{"name": tool, "input_schema": {"type": "object"}}]
        return {"model": "m", "max_tokens": 9, "messages": list(messages), "tools": tools, "stream": stream}


class GoogleTalk:
    """Gemini."""

    name = "google"
    path = "/v1beta/models/gemini-3-pro:generateContent"
    stream_path = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"x-goog-api-key": key}

    def user(self, text: str = "hi") -> Json:
        return {"role": "user", "parts": [{"text": text}]}

    def asks(self, *ids: str) -> Json:
        parts: list[Json] = [
            {"functionCall": {"id": each, "name": "look", "args": {}}, "thoughtSignature": DUMMY_SIGNATURE}
            for each in ids
        ]
        return {"role": "model", "parts": parts}

    def says(self, text: str) -> Json:
        return {"role": "model", "parts": [{"text": text}]}

    def result(self, call_id: str, text: str = "found") -> Json:
        response: Json = {"id": call_id, "name": "look", "response": {"output": text}}
        return {"role": "user", "parts": [{"functionResponse": response}]}

    def picture(self, media_type: str, data: str) -> Json:
        return {"role": "user", "parts": [{"inlineData": {"mimeType": media_type, "data": data}}]}

    def fields(self, *messages: Json, tool: str = "look", stream: bool = False) -> Fields:
        declaration: Json = {"name": tool, "description": "Looks."}
        return {"contents": list(messages), "tools": [{"functionDeclarations": [declaration]}]}


OPENAI, ANTHROPIC, GOOGLE = OpenAITalk(), AnthropicTalk(), GoogleTalk()
WIRES: tuple[WireTalk, ...] = (OPENAI, ANTHROPIC, GOOGLE)


def post(
    server: EmulatorServer,
    wire: WireTalk,
    raw: bytes | Fields,
    *,
    key: str | None = "",
    agent: str = "b",
    stream: bool = False,
    more: Mapping[str, str] | None = None,
) -> Response:
    """One request; an empty key stands for the right one."""
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    sent = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    headers = wire.headers(server.desk.plan.key if key == "" else key)
    headers |= {"content-type": "application/json", "x-postroom-agent": agent, **(more or {})}
    try:
        connection.request("POST", wire.stream_path if stream else wire.path, sent, headers)
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Response(status=response.status, headers=names, raw=response.read())
    finally:
        connection.close()


def last_failure(server: EmulatorServer) -> str:
    """Why the last request was refused, as the log says it."""
    entry = server.desk.log()[-1]
    return str(cast("Fields", entry)["failure"])


@contextmanager
def serving(plan: Plan) -> Generator[EmulatorServer]:
    """The emulator's sockets in this process: a bad request needs no process of its own."""
    with EmulatorServer(plan) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield served
        finally:
            served.shutdown()
            thread.join()
