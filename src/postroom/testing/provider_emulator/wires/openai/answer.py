"""An answer in the chat-completions form: one JSON body, or the pieces of a stream."""

import json
from collections.abc import Iterator

from postroom.llm.port import Json
from postroom.testing.provider_emulator.answers import Answer, AnsweredCall, Piece, parts
from postroom.testing.provider_emulator.plan import Finish

# A fixed date: the emulator's answers are the same on every day.
_CREATED = 1_790_000_000
_DONE = b"data: [DONE]\n\n"


def whole(answer: Answer) -> bytes:
    """The body of an answer that is not streamed."""
    message: dict[str, Json] = {"role": "assistant", "content": answer.text or None}
    if answer.finish == Finish.REFUSAL:
        message |= {"content": None, "refusal": answer.text}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [_function(call, call.arguments) for call in answer.calls]
    choice: dict[str, Json] = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    body = _envelope(answer, "chat.completion", [choice])
    body["usage"] = _usage(answer)
    return json.dumps(body).encode()


def pieces(answer: Answer) -> Iterator[Piece]:
    """The stream of an answer, from its start to its end mark."""
    yield _delta(answer, "start", {"role": "assistant", "content": ""})
    for part in parts(answer.reasoning):
        yield _delta(answer, "reasoning", {"reasoning_content": part})
    speaks = "refusal" if answer.finish == Finish.REFUSAL else "content"
    for part in parts(answer.text):
        yield _delta(answer, "text", {speaks: part})
    for call in answer.calls:
        yield _delta(answer, "call", {"tool_calls": [{"index": call.number, **_function(call, "")}]})
        for part in parts(call.arguments):
            more: dict[str, Json] = {"index": call.number, "function": {"arguments": part}}
            yield _delta(answer, "call", {"tool_calls": [more]})
    yield _delta(answer, "finish", {}, finish=_finish(answer))
    if answer.with_usage:
        body = _envelope(answer, "chat.completion.chunk", [])
        body["usage"] = _usage(answer)
        yield _event("usage", body)
    yield Piece(of="mark", data=_DONE)


def _finish(answer: Answer) -> str:
    if answer.finish == Finish.REFUSAL:
        return "stop"
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _usage(answer: Answer) -> dict[str, Json]:
    total, output = answer.counted.total, answer.output_tokens
    return {
        "prompt_tokens": total,
        "completion_tokens": output,
        "total_tokens": total + output,
        "prompt_tokens_details": {"cached_tokens": answer.counted.read},
    }


def _function(call: AnsweredCall, arguments: str) -> dict[str, Json]:
    function: dict[str, Json] = {"name": call.tool, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _delta(answer: Answer, of: str, delta: dict[str, Json], finish: str | None = None) -> Piece:
    choice: dict[str, Json] = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event(of, _envelope(answer, "chat.completion.chunk", [choice]))


def _envelope(answer: Answer, kind: str, choices: list[Json]) -> dict[str, Json]:
    return {
        "id": f"chatcmpl-{answer.number}",
        "object": kind,
        "created": _CREATED,
        "model": answer.model,
        "choices": choices,
    }


def _event(of: str, body: dict[str, Json]) -> Piece:
    return Piece(of=of, data=b"data: " + json.dumps(body).encode() + b"\n\n")
