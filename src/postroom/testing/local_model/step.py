"""What the model is to do next: call a tool, say something, or choose. Rules only, no model.

A model of this size follows no plan over several rounds, so the plan is read from the conversation:

* `tool_choice` is obeyed first: `none` means text, a named function means that function.
* The *order* is the newest user message that has the name of a listed tool, alone, between backticks.
  The tools it names are called one after the other, each once, as the message names them; when all
  have been called, the answer is text.
* Without an order the model chooses among the tools (`required`), or among the tools and text.

A mail's own hint on how to reply puts more than the name between the backticks, so it orders nothing:
two such models that write to each other come to an end.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from postroom.testing.local_model.wire import Body, Chosen, Message

_NAMED = re.compile(r"`([a-zA-Z0-9_-]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Answer with text. `done`: an order has been carried out, so the text closes it."""

    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Call this tool."""

    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose:
    """Call one of these tools, or say something where that is allowed."""

    tools: tuple[str, ...]
    may_say: bool


Step: TypeAlias = Say | Call | Choose


def next_step(body: Body) -> Step:
    """What this request is to be answered with."""
    names = tuple(body.tools_by_name)
    if not names or body.tool_choice == "none":
        return Say()
    if isinstance(body.tool_choice, Chosen):
        return Call(tool=body.tool_choice.function.name)
    order = order_at(body.messages, names)
    if order is not None:
        return _next_of(body, order, names)
    return Choose(tools=names, may_say=body.tool_choice == "auto")


def order_at(messages: Sequence[Message], tools: Collection[str]) -> int | None:
    """The place of the newest user message that names a tool; `None` when none does."""
    found = (
        place
        for place in range(len(messages) - 1, -1, -1)
        if messages[place].role == "user" and ordered_tools(messages[place].text, tools)
    )
    return next(found, None)


def ordered_tools(text: str, tools: Collection[str]) -> tuple[str, ...]:
    """The tools that a text names between backticks, in its order, each once."""
    return tuple(dict.fromkeys(name for name in _NAMED.findall(text) if name in tools))


def _next_of(body: Body, order: int, names: tuple[str, ...]) -> Step:
    called = {call.function.name for message in body.messages[order:] for call in message.tool_calls}
    wanted = ordered_tools(body.messages[order].text, names)
    open_ones = [name for name in wanted if name not in called]
    if open_ones:
        return Call(tool=open_ones[0])
    return Choose(tools=names, may_say=False) if body.tool_choice == "required" else Say(done=True)
