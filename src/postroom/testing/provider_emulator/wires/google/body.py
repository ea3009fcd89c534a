"""The strict reading of a Gemini request, from its path, headers and bytes."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, unquote, urlsplit

from postroom.llm.port import Json
from postroom.testing.provider_emulator.asked import Asked, Call, Incoming, Message
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    LIST,
    OBJECT,
    TEXT,
    Fields,
    a_list,
    an_object,
    check_shape,
    parsed,
)
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.prefix_cache import Segment, tokens_of
from postroom.testing.provider_emulator.rules import check_pairs, check_size, check_window
from postroom.testing.provider_emulator.wires.google.parts import Part, camel, read_parts
from postroom.testing.provider_emulator.wires.google.settings import check_generation, check_tools, may_call
from postroom.testing.provider_emulator.wires.google.thoughts import check_signature, check_turn

# The vendor's limit for a request with everything in it: 20 MB.
_MOST_BYTES = 20 * 1024 * 1024
_STREAM = "streamGenerateContent"
_SHAPE = {
    "contents": LIST,
    "systemInstruction": OBJECT,
    "tools": LIST,
    "toolConfig": OBJECT,
    "generationConfig": OBJECT,
    "safetySettings": LIST,
    "cachedContent": TEXT,
    "serviceTier": TEXT,
    "model": TEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """One content as it was sent, its calls and responses with ids."""

    role: str
    raw: Fields
    at: Place
    parts: tuple[Part, ...]

    def has(self, kind: str) -> bool:
        return any(part.kind == kind for part in self.parts)


def read_body(incoming: Incoming, plan: Plan) -> Asked:
    """The request. Raises `Breach` at the first thing the vendor refuses."""
    _check_key(incoming.headers.get("x-goog-api-key", ""), plan.key)
    check_size(incoming.raw, _MOST_BYTES if plan.most_bytes is None else plan.most_bytes)
    model, stream = _model(incoming.path)
    body = camel(parsed(incoming.raw))
    check_shape(body, _SHAPE)
    check_tools(body)
    check_generation(body)
    system = _system(body)
    contents = _with_ids(list(_contents(a_list(body.get("contents"), ("contents",)))))
    _check_order(contents)
    messages = tuple(message for content in contents for message in _messages(content))
    check_pairs(messages, in_one_message=True)
    for content in contents:
        for part in content.parts:
            check_signature(part, plan)
    check_turn(model, _steps(contents))
    segments = tuple(_segments(body, system, contents))
    tokens = tokens_of(segments)
    check_window(tokens, plan.context_window)
    return Asked(
        model=model,
        messages=messages,
        segments=segments,
        stream=stream,
        may_call=may_call(body),
        tokens=tokens,
    )


def _check_key(given: str, key: str) -> None:
    if not given:
        raise Breach(Rule.MISSING_KEY)
    if given != key:
        raise Breach(Rule.WRONG_KEY)


def _model(path: str) -> tuple[str, bool]:
    """The model's name, and whether the answer is to be streamed."""
    parts = urlsplit(path)
    name, _, method = unquote(parts.path).rpartition("/")[2].partition(":")
    if method == _STREAM and parse_qs(parts.query).get("alt") != ["sse"]:
        # The vendor then streams one JSON list; no client that we know of reads it.
        raise Breach(Rule.BAD_VALUE, says="streamGenerateContent is served with alt=sse only")
    return name, method == _STREAM


def _system(body: Fields) -> list[Part]:
    if body.get("systemInstruction") is None:
        return []
    at = ("system_instruction",)
    return list(read_parts(camel(an_object(body["systemInstruction"], at)), at))


def _contents(raw: list[Json]) -> Iterator[_Content]:
    if not raw:
        raise Breach(Rule.MISSING_FIELD, at=("contents",))
    for number, value in enumerate(raw):
        at = ("contents", number)
        content = an_object(value, at)
        check_shape(content, {"role": TEXT, "parts": LIST}, at)
        role = str(content.get("role") or "user")
        if role not in {"user", "model"}:
            raise Breach(Rule.BAD_VALUE, at=(*at, "role"), names=("role",))
        parts = tuple(read_parts(content, at))
        wrong = "functionCall" if role == "user" else "functionResponse"
        if any(part.kind == wrong for part in parts):
            raise Breach(Rule.BAD_VALUE, at=(*at, "role"), names=(f"no {wrong} of a {role}",))
        yield _Content(role=role, raw=content, at=at, parts=parts)


def _with_ids(contents: Sequence[_Content]) -> list[_Content]:
    """Calls without ids get one from their place; a response without one is of the first call of its name."""
    named: list[_Content] = []
    nameless: list[tuple[str, str]] = []
    for content in contents:
        if content.role == "model":
            parts = tuple(_named(part, f"#{content.at[1]}.{n}") for n, part in enumerate(content.parts))
            nameless = [
                (part.name, part.id)
                for part, was in zip(parts, content.parts, strict=True)
                if part.kind == "functionCall" and not was.id
            ]
        else:
            parts = tuple(_matched(part, nameless) for part in content.parts)
        named.append(replace(content, parts=parts))
    return named


def _named(part: Part, call_id: str) -> Part:
    if part.kind != "functionCall" or part.id:
        return part
    return replace(part, inner={**part.inner, "id": call_id})


def _matched(part: Part, nameless: list[tuple[str, str]]) -> Part:
    if part.kind != "functionResponse" or part.id:
        return part
    found = next((each for each in nameless if each[0] == part.name), None)
    if found is None:
        raise Breach(Rule.STRAY_RESULT, at=part.at, names=(part.name,))
    nameless.remove(found)
    return replace(part, inner={**part.inner, "id": found[1]})


def _check_order(contents: Sequence[_Content]) -> None:
    """Contents of a user may follow each other; a call must follow a user, and a request end with one."""
    names: dict[str, str] = {}
    for number, content in enumerate(contents):
        if content.has("functionCall") and (number == 0 or contents[number - 1].role == "model"):
            raise Breach(Rule.WRONG_TURN, at=content.at, names=("call",))
        for part in content.parts:
            if part.kind == "functionCall":
                names[part.id] = part.name
            elif part.kind == "functionResponse" and names.get(part.id, part.name) != part.name:
                raise Breach(Rule.BAD_VALUE, at=(*part.at, "name"), names=(names[part.id],))
    if contents[-1].role == "model":
        raise Breach(Rule.WRONG_TURN, at=contents[-1].at)


def _steps(contents: Sequence[_Content]) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """The model's contents since the last that a user wrote: the steps of the current turn."""
    start = max(
        (number for number, each in enumerate(contents) if each.role == "user" and each.has("text")),
        default=0,
    )
    for number in range(start, len(contents)):
        if contents[number].role == "model":
            yield number, contents[number].parts


def _messages(content: _Content) -> Iterator[Message]:
    """The content as the shared rules know it: each response and each text of a user by itself."""
    if content.role == "model":
        calls = tuple(_call(part) for part in content.parts if part.kind == "functionCall")
        text = "".join(part.text for part in content.parts if not part.thought)
        yield Message(role="assistant", text=text, calls=calls, at=content.at)
        return
    for part in content.parts:
        if part.kind == "functionResponse":
            yield Message(role="tool", text=part.text, tool_call_id=part.id, at=part.at)
        else:
            yield Message(role="user", text=part.text, at=part.at)


def _call(part: Part) -> Call:
    arguments = json.dumps(part.inner.get("args") or {}, ensure_ascii=False)
    return Call(id=part.id, tool=part.name, arguments=arguments, at=part.at)


def _segments(body: Fields, system: list[Part], contents: Sequence[_Content]) -> Iterator[Segment]:
    """The request in the order the model reads it; this vendor keeps every prefix by itself."""
    settings = json.dumps([body.get("systemInstruction"), body.get("tools"), body.get("toolConfig")])
    tools = len(json.dumps(body["tools"])) if body.get("tools") else 0
    chars = tools + sum(part.chars for part in system)
    yield Segment(content=settings.encode(), chars=chars, marked=True)
    for content in contents:
        raw = json.dumps(content.raw).encode()
        yield Segment(content=raw, chars=sum(part.chars for part in content.parts), marked=True)
