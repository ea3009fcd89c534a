"""An answer in the wire's two forms: one JSON body, or the pieces of a stream."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from postroom.llm.port import Json
from postroom.rules.text import CHARS_PER_TOKEN

# A fixed date: the emulator's answers are the same on every day.
_CREATED = 1_790_000_000
_PIECES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """One call as the provider sends it."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the emulated model says, in full."""

    id: str
    model: str
    text: str
    reasoning: str
    calls: tuple[AnsweredCall, ...]
    finish: str
    input_tokens: int

    def usage(self) -> dict[str, Json]:
        """Tokens by the rough measure of the strict check."""
        written = len(self.text) + sum(len(call.arguments) for call in self.calls)
        output = -(-written // CHARS_PER_TOKEN)
        return {
            "prompt_tokens": self.input_tokens,
            "completion_tokens": output,
            "total_tokens": self.input_tokens + output,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One event of a stream. `of` says what it carries: start, reasoning, text, call, finish, usage."""

    of: str
    data: bytes


def whole(answer: Answer) -> bytes:
    """The body of an answer that is not streamed."""
    message: dict[str, Json] = {"role": "assistant", "content": answer.text or None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [_function(call, call.arguments) for call in answer.calls]
    choice: dict[str, Json] = {"index": 0, "message": message, "finish_reason": answer.finish}
    body = _envelope(answer, "chat.completion", [choice])
    body["usage"] = answer.usage()
    return json.dumps(body).encode()


def pieces(answer: Answer, *, with_usage: bool) -> Iterator[Piece]:
    """The stream of an answer, without the end mark."""
    yield _delta(answer, "start", {"role": "assistant", "content": ""})
    for part in _parts(answer.reasoning):
        yield _delta(answer, "reasoning", {"reasoning_content": part})
    for part in _parts(answer.text):
        yield _delta(answer, "text", {"content": part})
    for number, call in enumerate(answer.calls):
        opening = _function(call, "")
        yield _delta(answer, "call", {"tool_calls": [{"index": number, **opening}]})
        for part in _parts(call.arguments):
            more: dict[str, Json] = {"index": number, "function": {"arguments": part}}
            yield _delta(answer, "call", {"tool_calls": [more]})
    yield _delta(answer, "finish", {}, finish=answer.finish)
    if with_usage:
        body = _envelope(answer, "chat.completion.chunk", [])
        body["usage"] = answer.usage()
        yield _event("usage", body)


DONE = b"data: [DONE]\n\n"


def _function(call: AnsweredCall, arguments: str) -> dict[str, Json]:
    function: dict[str, Json] = {"name": call.tool, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _delta(answer: Answer, of: str, delta: dict[str, Json], finish: str | None = None) -> Piece:
    choice: dict[str, Json] = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event(of, _envelope(answer, "chat.completion.chunk", [choice]))


def _envelope(answer: Answer, kind: str, choices: list[Json]) -> dict[str, Json]:
    return {
        "id": answer.id,
        "object": kind,
        "created": _CREATED,
        "model": answer.model,
        "choices": choices,
    }


def _event(of: str, body: dict[str, Json]) -> Piece:
    return Piece(of=of, data=b"data: " + json.dumps(body).encode() + b"\n\n")


def _parts(text: str) -> Iterator[str]:
    step = max(1, -(-len(text) // _PIECES))
    return (text[start : start + step] for start in range(0, len(text), step))
