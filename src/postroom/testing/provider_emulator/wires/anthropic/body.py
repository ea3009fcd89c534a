"""The strict reading of a messages request, from its headers and bytes."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from postroom.llm.port import Json
from postroom.testing.provider_emulator.asked import Asked, Call, Incoming, Message
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    NUMBER,
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
from postroom.testing.provider_emulator.seals import digest
from postroom.testing.provider_emulator.wires.anthropic.blocks import (
    READERS,
    SYSTEM_READERS,
    Block,
    read_blocks,
)
from postroom.testing.provider_emulator.wires.anthropic.markers import check_marker, check_markers
from postroom.testing.provider_emulator.wires.anthropic.thinking import (
    check_signature,
    check_starts_with_thinking,
    read_thinking,
)
from postroom.testing.provider_emulator.wires.anthropic.tools import may_call, read_tools

# The vendor's limit for this path: 32 MB.
_MOST_BYTES = 32 * 1024 * 1024
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHAPE = {
    "model": TEXT,
    "max_tokens": (int,),
    "messages": LIST,
    "system": (str, list),
    "tools": LIST,
    "tool_choice": OBJECT,
    "stream": FLAG,
    "temperature": NUMBER,
    "top_p": NUMBER,
    "top_k": (int,),
    "stop_sequences": LIST,
    "thinking": OBJECT,
    "metadata": OBJECT,
    "service_tier": TEXT,
    "cache_control": OBJECT,
    "output_config": OBJECT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """One message as it was sent."""

    role: str
    at: Place
    blocks: tuple[Block, ...]


def read_body(incoming: Incoming, plan: Plan) -> Asked:
    """The request. Raises `Breach` at the first thing the vendor refuses."""
    _check_headers(incoming, plan.key)
    check_size(incoming.raw, _MOST_BYTES if plan.most_bytes is None else plan.most_bytes)
    body = parsed(incoming.raw)
    check_shape(body, _SHAPE, required=("model", "max_tokens", "messages"))
    _check_numbers(body)
    thinking = read_thinking(body, incoming)
    tools = read_tools(body)
    system = list(read_blocks(body["system"], ("system",), SYSTEM_READERS)) if body.get("system") else []
    turns = list(_turns(a_list(body["messages"], ("messages",))))
    _check_order(turns, tools)
    messages = tuple(message for turn in turns for message in _messages(turn))
    check_pairs(messages, in_one_message=True)
    answers = [turn.blocks for turn in turns if turn.role == "assistant"]
    if thinking.enabled:
        check_starts_with_thinking(answers)
    segments = list(_segments(body, tools, system, turns))
    prefixes = _prefixes(tools, system, turns)
    dropped = [
        check_signature(block, prefix, plan, thinking)
        for turn, prefix in zip(turns, prefixes, strict=False)
        for block in turn.blocks
        if block.kind in {"thinking", "redacted_thinking"}
    ]
    tokens = tokens_of(segments)
    check_window(tokens, plan.context_window)
    return Asked(
        model=str(body["model"]),
        messages=messages,
        segments=tuple(segments),
        stream=bool(body.get("stream")),
        may_call=may_call(body),
        tokens=tokens,
        prefix=prefixes[-1],
        dropped=tuple(each for each in dropped if each is not None),
    )


def _check_headers(incoming: Incoming, key: str) -> None:
    bearer = incoming.headers.get("authorization", "").removeprefix("Bearer ")
    given = incoming.headers.get("x-api-key") or bearer
    if not given:
        raise Breach(Rule.MISSING_KEY, status=401)
    if given != key:
        raise Breach(Rule.WRONG_KEY, status=401)
    if not _VERSION.fullmatch(incoming.headers.get("anthropic-version", "")):
        raise Breach(Rule.MISSING_VERSION)


def _check_numbers(body: Fields) -> None:
    most, temperature = body["max_tokens"], body.get("temperature")
    if isinstance(most, int) and most < 1:
        raise Breach(Rule.BAD_VALUE, at=("max_tokens",), names=("greater than or equal to 1",))
    if isinstance(temperature, int | float) and not 0 <= temperature <= 1:
        raise Breach(Rule.BAD_VALUE, at=("temperature",), names=("between 0 and 1",))


def _turns(raw: list[Json]) -> Iterator[_Turn]:
    if not raw:
        raise Breach(Rule.WRONG_TYPE, at=("messages",), names=("empty",))
    for number, value in enumerate(raw):
        at = ("messages", number)
        message = an_object(value, at)
        check_shape(message, {"role": TEXT, "content": (str, list)}, at, required=("role", "content"))
        role = str(message["role"])
        if role not in READERS:
            raise Breach(Rule.BAD_VALUE, at=(*at, "role"), names=("'user' or 'assistant'",))
        blocks = tuple(read_blocks(message["content"], (*at, "content"), READERS[role]))
        if not blocks and not (role == "assistant" and number == len(raw) - 1):
            raise Breach(
                Rule.BLANK_TEXT,
                says=f"messages.{number}: all messages must have non-empty content except for the optional "
                "final assistant message",
            )
        yield _Turn(role=role, at=at, blocks=blocks)


def _check_order(turns: Sequence[_Turn], tools: list[Fields]) -> None:
    """Turns of one role may follow each other: the vendor joins them. The first must be the user's."""
    if turns[0].role != "user":
        raise Breach(Rule.WRONG_TURN)
    last = turns[-1]
    if last.role == "assistant" and last.blocks and last.blocks[-1].text != last.blocks[-1].text.rstrip():
        raise Breach(Rule.TRAILING_SPACE)
    calls = any(block.kind in {"tool_use", "tool_result"} for turn in turns for block in turn.blocks)
    if calls and not tools:
        says = "Requests which have `tool_use` or `tool_result` blocks in messages must define tools"
        raise Breach(Rule.MISSING_FIELD, says=says)


def _messages(turn: _Turn) -> Iterator[Message]:
    """The turn as the shared rules know it: each result and each text of a user by itself."""
    if turn.role == "assistant":
        calls = tuple(_call(block) for block in turn.blocks if block.kind == "tool_use")
        text = "".join(block.text for block in turn.blocks)
        yield Message(role="assistant", text=text, calls=calls, at=turn.at)
        return
    for block in turn.blocks:
        if block.kind == "tool_result":
            call_id = str(block.raw["tool_use_id"])
            yield Message(role="tool", text=block.text, tool_call_id=call_id, at=block.at)
        else:
            yield Message(role="user", text=block.text, at=block.at)


def _call(block: Block) -> Call:
    arguments = json.dumps(block.raw["input"], ensure_ascii=False)
    return Call(id=str(block.raw["id"]), tool=str(block.raw["name"]), arguments=arguments, at=block.at)


def _segments(
    body: Fields, tools: list[Fields], system: list[Block], turns: Sequence[_Turn]
) -> Iterator[Segment]:
    """The request in the order the model reads it, cut where it may be marked."""
    blocks = [*system, *(block for turn in turns for block in turn.blocks)]
    check_marker(body, ())
    marked = [fields for fields in (*tools, *(block.raw for block in blocks)) if fields.get("cache_control")]
    everywhere = bool(body.get("cache_control"))
    found = sum(bool(tool.get("cache_control")) for tool in tools) + sum(block.markers for block in blocks)
    check_markers(marked, found + everywhere)
    for tool in tools:
        content = _unmarked(tool)
        yield Segment(content=content, chars=len(content), marked=bool(tool.get("cache_control")))
    for block in system:
        yield Segment(content=_unmarked(block.raw), chars=block.chars, marked=block.markers > 0)
    # Another choice of tools or of thinking makes what is cached of the messages worthless.
    choice = json.dumps([body.get("tool_choice"), body.get("thinking")]).encode()
    yield Segment(content=choice, chars=0)
    for number, turn in enumerate(turns):
        for place, block in enumerate(turn.blocks):
            last = number == len(turns) - 1 and place == len(turn.blocks) - 1
            marks = block.markers > 0 or (last and everywhere)
            content = turn.role.encode() + _unmarked(block.raw)
            yield Segment(content=content, chars=block.chars, marked=marks)


def _prefixes(tools: list[Fields], system: list[Block], turns: Sequence[_Turn]) -> list[bytes]:
    """What stands before each turn, and before the answer, as signatures bind to it."""
    running = hashlib.sha256(b"".join(_unmarked(each) for each in (*tools, *(block.raw for block in system))))
    found = [digest(running.digest())]
    for turn in turns:
        running.update(turn.role.encode())
        for block in turn.blocks:
            running.update(_unmarked(block.raw))
        found.append(digest(running.digest()))
    return found


def _unmarked(fields: Fields) -> bytes:
    """The bytes of a block without its cache markers: a marker that moves changes nothing."""
    plain = {name: value for name, value in fields.items() if name != "cache_control"}
    inner = plain.get("content")
    if isinstance(inner, list):
        plain["content"] = [
            {name: value for name, value in each.items() if name != "cache_control"}
            for each in inner
            if isinstance(each, dict)
        ]
    return json.dumps(plain).encode()
