"""A request as scripts see it: the items of our port, made from what came over a wire."""

from collections.abc import Iterator
from typing import assert_never

from postroom.llm.port import AssistantItem, CallItem, Item, ModelRequest, ResultItem, UserItem
from postroom.testing.provider_emulator.asked import Asked


def as_scripts_see(asked: Asked, *, agent: str, branch: str, covered: int) -> ModelRequest:
    """The request as `postroom.llm.script` reads it."""
    items = tuple(_items(asked))
    return ModelRequest(agent=agent, branch=branch, instructions="", items=items, covered=covered)


def _items(asked: Asked) -> Iterator[Item]:
    tools = {call.id: call.tool for message in asked.messages for call in message.calls}
    for message in asked.messages:
        match message.role:
            case "assistant":
                calls = tuple(
                    CallItem(call_id=call.id, tool=call.tool, arguments=call.arguments)
                    for call in message.calls
                )
                yield AssistantItem(text=message.text, calls=calls)
            case "tool":
                call_id = message.tool_call_id
                yield ResultItem(call_id=call_id, tool=tools[call_id], text=message.text)
            case "user":
                yield UserItem(text=message.text)
            case "system":
                pass
            case _:
                assert_never(message.role)
