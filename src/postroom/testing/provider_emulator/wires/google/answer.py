"""An answer in the form of the Gemini wire: one JSON body, or the chunks of a stream.

A call travels whole in one chunk. Arguments that are no JSON object cannot be said on this wire: the
answer then ends with `MALFORMED_FUNCTION_CALL`, as the vendor's own does.
"""

import json
from collections.abc import Iterator

from postroom.llm.port import Json
from postroom.testing.provider_emulator.answers import Answer, AnsweredCall, Piece, parts
from postroom.testing.provider_emulator.plan import Finish
from postroom.testing.provider_emulator.wires.google.thoughts import call_signature, text_signature

_FINISHES = {
    Finish.LENGTH: "MAX_TOKENS",
    Finish.CONTENT_FILTER: "SAFETY",
    Finish.REFUSAL: "SAFETY",
}
# A chunk with a call is sent in so many slices, so that a connection can break inside of it.
_SLICES = 3


def whole(answer: Answer) -> bytes:
    """The body of an answer that is not streamed."""
    content: list[Json] = []
    if answer.reasoning:
        content.append({"text": answer.reasoning, "thought": True})
    if answer.text:
        content.append({"text": answer.text} | ({} if answer.calls else _signed(answer)))
    content += _calls(answer)
    return json.dumps(_chunk(answer, content, ends=True)).encode()


def pieces(answer: Answer) -> Iterator[Piece]:
    """The stream of an answer, to the chunk with its finish reason."""
    yield Piece(of="start", data=b"")
    for part in parts(answer.reasoning):
        yield _event("reasoning", _chunk(answer, [{"text": part, "thought": True}]))
    for part in parts(answer.text):
        yield _event("text", _chunk(answer, [{"text": part}]))
    for call in _calls(answer):
        data = _event("call", _chunk(answer, [call])).data
        step = -(-len(data) // _SLICES)
        for start in range(0, len(data), step):
            yield Piece(of="call", data=data[start : start + step])
    last: list[Json] = [{"text": "", **({} if answer.calls or not answer.text else _signed(answer))}]
    yield _event("finish", _chunk(answer, last, ends=True))


def _signed(answer: Answer) -> dict[str, Json]:
    return {"thoughtSignature": text_signature(answer.key)}


def _calls(answer: Answer) -> list[Json]:
    """The calls as parts, the first of them signed; none when one of them cannot be said."""
    if _malformed(answer):
        return []
    return [_call(answer, call) for call in answer.calls]


def _call(answer: Answer, call: AnsweredCall) -> dict[str, Json]:
    args = json.loads(call.arguments)
    said: dict[str, Json] = {"name": call.tool, "args": args}
    if call.id:
        said["id"] = call.id
    part: dict[str, Json] = {"functionCall": said}
    if call.number == 0:
        part["thoughtSignature"] = call_signature(answer.key, call.tool, args)
    return part


def _malformed(answer: Answer) -> AnsweredCall | None:
    for call in answer.calls:
        try:
            value: object = json.loads(call.arguments)
        except ValueError:
            return call
        if not isinstance(value, dict):
            return call
    return None


def _chunk(answer: Answer, content: list[Json], *, ends: bool = False) -> dict[str, Json]:
    candidate: dict[str, Json] = {"content": {"parts": content, "role": "model"}, "index": 0}
    if ends:
        candidate |= _ending(answer)
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(answer),
        "modelVersion": answer.model,
        "responseId": f"response-{answer.number}",
    }


def _ending(answer: Answer) -> dict[str, Json]:
    known = next((ours for word, ours in _FINISHES.items() if word == answer.finish), answer.finish)
    malformed = _malformed(answer)
    if malformed is None or known:
        return {"finishReason": known or "STOP"}
    message = f"Malformed function call: {malformed.tool}({malformed.arguments})"
    return {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": message}


def _usage(answer: Answer) -> dict[str, Json]:
    counted, written, thought = answer.counted, answer.output_tokens, answer.reasoning_tokens
    usage: dict[str, Json] = {
        "promptTokenCount": counted.total,
        "candidatesTokenCount": written,
        "totalTokenCount": counted.total + written + thought,
    }
    if thought:
        usage["thoughtsTokenCount"] = thought
    if counted.read:
        usage["cachedContentTokenCount"] = counted.read
    return usage


def _event(of: str, body: dict[str, Json]) -> Piece:
    return Piece(of=of, data=b"data: " + json.dumps(body).encode() + b"\r\n\r\n")
