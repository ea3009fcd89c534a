"""The tools of a messages request and how the model may choose among them."""

import re

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Place, Rule
from postroom.testing.provider_emulator.fields import (
    FLAG,
    LIST,
    OBJECT,
    TEXT,
    Fields,
    a_list,
    an_object,
    check_shape,
)
from postroom.testing.provider_emulator.wires.anthropic.blocks import TOOL_NAME
from postroom.testing.provider_emulator.wires.anthropic.markers import check_marker

_TOOL_SHAPE = {
    "type": TEXT,
    "name": TEXT,
    "description": TEXT,
    "input_schema": OBJECT,
    "input_examples": LIST,
    "cache_control": OBJECT,
    "strict": FLAG,
    "eager_input_streaming": FLAG,
    "defer_loading": FLAG,
    "allowed_callers": LIST,
}
_CHOICE_SHAPE = {"type": TEXT, "name": TEXT, "disable_parallel_tool_use": FLAG}
_CHOICES = ("auto", "any", "tool", "none")
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def read_tools(body: Fields) -> list[Fields]:
    """The tools, each checked. Raises `Breach`."""
    tools = [
        _tool(each, ("tools", number)) for number, each in enumerate(a_list(body.get("tools"), ("tools",)))
    ]
    names = [str(tool["name"]) for tool in tools]
    if len(set(names)) < len(names):
        raise Breach(Rule.BAD_VALUE, says="tools: Tool names must be unique.")
    _check_choice(body, names)
    return tools


def may_call(body: Fields) -> bool:
    """Whether the model may call tools at all."""
    choice = body.get("tool_choice")
    return not (isinstance(choice, dict) and choice.get("type") == "none")


def forces_call(body: Fields) -> bool:
    """Whether the model must call a tool."""
    choice = body.get("tool_choice")
    return isinstance(choice, dict) and choice.get("type") in {"any", "tool"}


def _tool(value: Json, at: Place) -> Fields:
    tool = an_object(value, at)
    place = (*at, "custom")
    if tool.get("type") not in (None, "custom"):
        raise Breach(Rule.BAD_VALUE, at=(*at, "type"), names=("'custom'",))
    check_shape(tool, _TOOL_SHAPE, place, required=("name", "input_schema"))
    check_marker(tool, place)
    if not TOOL_NAME.fullmatch(str(tool["name"])):
        raise Breach(Rule.BAD_VALUE, at=(*place, "name"), names=("pattern", f"^{TOOL_NAME.pattern}$"))
    _check_schema(an_object(tool["input_schema"], place), (*place, "input_schema"))
    return tool


def _check_schema(schema: Fields, at: Place) -> None:
    if schema.get("type") is None:
        raise Breach(Rule.MISSING_FIELD, at=(*at, "type"))
    if schema["type"] != "object":
        raise Breach(Rule.BAD_VALUE, at=(*at, "type"), names=("'object'",))
    if {"oneOf", "anyOf", "allOf"} & schema.keys():
        place = ".".join(map(str, at))
        raise Breach(
            Rule.BAD_VALUE,
            says=f"{place}: input_schema does not support oneOf, allOf, or anyOf at the top level",
        )
    properties = an_object(schema.get("properties") or {}, (*at, "properties"))
    for key in properties:
        if not _KEY.fullmatch(key):
            raise Breach(Rule.BAD_VALUE, at=(*at, "properties"), names=("pattern", f"^{_KEY.pattern}$"))


def _check_choice(body: Fields, names: list[str]) -> None:
    if body.get("tool_choice") is None:
        return
    choice = an_object(body["tool_choice"], ("tool_choice",))
    check_shape(choice, _CHOICE_SHAPE, ("tool_choice",), required=("type",))
    if choice["type"] not in _CHOICES:
        raise Breach(Rule.BAD_VALUE, at=("tool_choice", "type"), names=("'auto', 'any', 'tool' or 'none'",))
    if not names:
        says = "tool_choice: tool_choice may only be specified while providing tools."
        raise Breach(Rule.BAD_VALUE, says=says)
    if choice["type"] == "tool" and choice.get("name") not in names:
        says = f"tool_choice.tool.name: Tool '{choice.get('name')}' not found in provided tools"
        raise Breach(Rule.BAD_VALUE, says=says)
