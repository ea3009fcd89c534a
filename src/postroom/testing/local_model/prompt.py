"""A conversation with tools, told to a model whose template knows only system, user and assistant."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict, cast

from pydantic import JsonValue

from postroom.testing.local_model.wire import Body, Described, Message

CLOSE = "Say in one or two sentences what you have done."
_KEPT = {"system": "system", "developer": "system", "assistant": "assistant"}


class Line(TypedDict):
    """One message as the template takes it."""

    role: str
    content: str


def told(body: Body) -> list[Line]:
    """The conversation so far. Neighbours of one role become one message."""
    lines: list[Line] = []
    for role, text in _spoken(body.messages):
        _add(lines, role, text)
    return lines


def asking_which(body: Body, tools: Sequence[Described], word: str) -> list[Line]:
    """The conversation, and the question which of these comes next; `word` stands for none of them."""
    lines = told(body)
    listed = "\n".join(f"{tool.name}: {tool.description}" for tool in tools)
    _add(lines, "user", f"{listed}\n{word}: no tool, only words\nWhich one comes next?")
    return lines


def asking_for(body: Body, tool: Described, fields: Mapping[str, JsonValue]) -> list[Line]:
    """The conversation, introduced by what is wanted: the arguments of one tool, in this order.

    A question at the end would be answered instead of the task.
    """
    named = ", ".join(_field(name, schema) for name, schema in fields.items())
    wanted = f"You answer with one JSON object, the arguments of {tool.name} ({tool.description}): {named}"
    lines = told(body)
    if lines[0]["role"] != "system":
        return [Line(role="system", content=wanted), *lines]
    first = Line(role="system", content=f"{lines[0]['content']}\n\n{wanted}")
    return [first, *lines[1:]]


def asking_to_close(body: Body) -> list[Line]:
    """The conversation, and the request for a last word."""
    lines = told(body)
    _add(lines, "user", CLOSE)
    return lines


def _spoken(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    names = {call.id: call.function.name for message in messages for call in message.tool_calls}
    for message in messages:
        if message.role == "tool":
            yield "user", f"{names.get(message.tool_call_id, 'The tool')} answered: {message.text}"
            continue
        if message.text:
            yield _KEPT.get(message.role, "user"), message.text
        for call in message.tool_calls:
            yield "assistant", f"I use {call.function.name}."


def _add(lines: list[Line], role: str, text: str) -> None:
    if lines and lines[-1]["role"] == role:
        lines[-1]["content"] += f"\n\n{text}"
    else:
        lines.append(Line(role=role, content=text))


def _field(name: str, schema: JsonValue) -> str:
    described = cast("dict[str, JsonValue]", schema) if isinstance(schema, dict) else {}
    says = described.get("description") or described.get("type") or "any"
    return f"{json.dumps(name)} ({says})"
