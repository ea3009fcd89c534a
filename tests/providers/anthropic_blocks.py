"""The blocks of the messages wire, as its tests write them."""

from postroom.llm.port import Json
from tests.providers.wire_talk import ANTHROPIC, Fields

W = ANTHROPIC
EPHEMERAL: Json = {"type": "ephemeral"}
TOOLS: list[Json] = [{"name": "look", "input_schema": {"type": "object"}}]


def text(words: str, **more: Json) -> Json:
    return {"type": "text", "text": words, **more}


def turn(role: str, *blocks: Json) -> Json:
    return {"role": role, "content": list(blocks)}


def use(call_id: str = "a", **more: Json) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}, **more}


def result(call_id: str = "a", **more: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "found", **more}


def changed(**more: Json) -> Fields:
    fields = W.fields(W.user()) | more
    return {name: value for name, value in fields.items() if value is not None}


def with_tool(**more: Json) -> Fields:
    return changed(tools=[{"name": "look", "input_schema": {"type": "object"}, **more}])


def content(role: str, *blocks: Json) -> Fields:
    return W.fields(W.user(), turn(role, *blocks), W.user())
