"""An answer in the form of the messages wire: one JSON body, or the events of a stream."""

import json
from collections.abc import Iterator

from postroom.llm.port import Json
from postroom.testing.provider_emulator.answers import Answer, AnsweredCall, Piece, parts
from postroom.testing.provider_emulator.plan import Finish
from postroom.testing.provider_emulator.seals import seal

_FINISHES = {
    Finish.LENGTH: "max_tokens",
    Finish.CONTENT_FILTER: "refusal",
    Finish.REFUSAL: "refusal",
}


def whole(answer: Answer) -> bytes:
    """The body of an answer that is not streamed."""
    content: list[Json] = []
    if answer.reasoning:
        signature = seal(answer.key, answer.reasoning, answer.prefix)
        content.append({"type": "thinking", "thinking": answer.reasoning, "signature": signature})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    content += [_tool_use(call, _value(call.arguments)) for call in answer.calls]
    ending = {"content": content, "usage": _usage(answer, answer.output_tokens + answer.reasoning_tokens)}
    return json.dumps(_message(answer) | _ending(answer) | ending).encode()


def pieces(answer: Answer) -> Iterator[Piece]:
    """The stream of an answer, from `message_start` to `message_stop`."""
    yield _event("start", "message_start", message=_message(answer))
    yield _event("mark", "ping")
    index = 0
    if answer.reasoning:
        yield from _thinking_block(answer, index)
        index += 1
    if answer.text:
        yield from _text_block(answer.text, index)
        index += 1
    for call in answer.calls:
        yield from _call_block(call, index + call.number)
    written = answer.output_tokens + answer.reasoning_tokens
    ending = _ending(answer)
    yield _event("finish", "message_delta", delta=ending, usage=_usage(answer, written))
    yield _event("mark", "message_stop")


def _thinking_block(answer: Answer, index: int) -> Iterator[Piece]:
    empty: dict[str, Json] = {"type": "thinking", "thinking": "", "signature": ""}
    yield _event("mark", "content_block_start", index=index, content_block=empty)
    for part in parts(answer.reasoning):
        yield _delta("reasoning", index, {"type": "thinking_delta", "thinking": part})
    signature = seal(answer.key, answer.reasoning, answer.prefix)
    yield _delta("mark", index, {"type": "signature_delta", "signature": signature})
    yield _event("mark", "content_block_stop", index=index)


def _text_block(text: str, index: int) -> Iterator[Piece]:
    yield _event("mark", "content_block_start", index=index, content_block={"type": "text", "text": ""})
    for part in parts(text):
        yield _delta("text", index, {"type": "text_delta", "text": part})
    yield _event("mark", "content_block_stop", index=index)


def _call_block(call: AnsweredCall, index: int) -> Iterator[Piece]:
    yield _event("call", "content_block_start", index=index, content_block=_tool_use(call, {}))
    for part in parts(call.arguments):
        yield _delta("call", index, {"type": "input_json_delta", "partial_json": part})
    yield _event("mark", "content_block_stop", index=index)


def _message(answer: Answer) -> dict[str, Json]:
    message: dict[str, Json] = {
        "id": f"msg_{answer.number}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(answer, 1),
    }
    if answer.dropped:
        message["input_transformations"] = list(answer.dropped)
    return message


def _ending(answer: Answer) -> dict[str, Json]:
    usual = "tool_use" if answer.calls else "end_turn"
    reason = next((ours for word, ours in _FINISHES.items() if word == answer.finish), answer.finish) or usual
    details: Json = None
    if reason == "refusal":
        details = {"type": "refusal", "category": None, "explanation": answer.text or None}
    return {"stop_reason": reason, "stop_sequence": None, "stop_details": details}


def _usage(answer: Answer, output_tokens: int) -> dict[str, Json]:
    counted = answer.counted
    return {
        "input_tokens": counted.fresh,
        "cache_creation_input_tokens": counted.written,
        "cache_read_input_tokens": counted.read,
        "output_tokens": max(1, output_tokens),
    }


def _tool_use(call: AnsweredCall, value: Json) -> dict[str, Json]:
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": value}


def _value(arguments: str) -> Json:
    """What a model wrote that is no JSON can only be told as text here; a stream sends it as it stands."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _delta(of: str, index: int, delta: dict[str, Json]) -> Piece:
    return _event(of, "content_block_delta", index=index, delta=delta)


def _event(of: str, event: str, **fields: Json) -> Piece:
    data = json.dumps({"type": event, **fields}).encode()
    return Piece(of=of, data=b"event: " + event.encode() + b"\ndata: " + data + b"\n\n")
