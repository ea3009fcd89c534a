"""No tool of `branch`, none for work on `team`, declares what it does not read (systems.md 1.22, OP-99)."""

from collections.abc import Awaitable, Callable, Mapping
from typing import cast

import pytest

from postroom.domain.keys import CallKey, TurnKey
from postroom.domain.plain import Json
from postroom.domain.turn import Call
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.branch.surface import BRANCH
from postroom.surfaces.team.lists import LIST_AGENTS, TASK_TOOLS
from postroom.surfaces.team.work import AGENT, WAIT

OTHERS: Mapping[str, tuple[Json, ...]] = {
    "string": ("2", "x", "SID:HEAD", "inherit", "all", "person", "completed"),
    "boolean": (True, False),
    "integer": (2, 7, 70_000),
    "array": (["yes", "no"], [{"text": "x", "done": True}]),
}
"""Values of each type; one of them must do something else than the one that is there."""
TOOLS = (*BRANCH.tools, AGENT, WAIT, LIST_AGENTS, *TASK_TOOLS)
CALL = Call(key=CallKey(1), turn=TurnKey(1), round=1, position=0, tool="x", arguments="{}")


class Reached(Exception):
    """What a tool asked of its desk, and what its words would be made of."""

    def __init__(self, asked: object) -> None:
        super().__init__()
        self.asked = asked


class Listener:
    """A desk that hears the first request and answers none."""

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[object]]:
        async def heard(*given: object, **named: object) -> object:
            plain = [one for one in given if not callable(one) and one is not CALL]
            raise Reached((verb, plain, named))

        return heard


async def asked(tool: MailTool, arguments: Mapping[str, Json]) -> object:
    """What reaches the desk, or the text of a refusal."""
    try:
        result = await tool.run(cast("Desk", Listener()), CALL, arguments)
    except Reached as reached:
        return reached.asked
    return ("refused", result.text if result else "")


def least(tool: MailTool) -> dict[str, Json]:
    """The required arguments, each with the first value of its type."""
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.spec.parameters["properties"])
    required = cast("list[str]", tool.spec.parameters["required"])
    return {name: _first(properties[name]) for name in required}


def _first(schema: Mapping[str, Json]) -> Json:
    if (choices := schema.get("enum")) is not None:
        return cast("list[Json]", choices)[0]
    if schema["type"] == "array":
        return [{"text": "y", "done": False}]
    return {"string": "1", "boolean": False, "integer": 1}[str(schema["type"])]


def parameters() -> list[tuple[MailTool, str]]:
    return [
        (tool, name)
        for tool in TOOLS
        for name in cast("Mapping[str, Json]", tool.spec.parameters["properties"])
    ]


@pytest.mark.parametrize(
    ("tool", "name"), parameters(), ids=lambda one: one if isinstance(one, str) else one.spec.name
)
async def test_every_declared_parameter_changes_what_reaches_the_desk(tool: MailTool, name: str) -> None:
    """OP-99."""
    properties = cast("Mapping[str, Mapping[str, Json]]", tool.spec.parameters["properties"])
    arguments = least(tool)
    before = await asked(tool, arguments)
    kind = str(properties[name]["type"])
    choices = cast("tuple[Json, ...]", properties[name].get("enum") or OTHERS[kind])

    after = [await asked(tool, {**arguments, name: other}) for other in choices]
    reached = [one for one in after if one != before and not str(one).startswith("('refused'")]

    assert not str(before).startswith("('refused'"), before
    assert reached, (tool.spec.name, name, before, after)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.spec.name)
async def test_an_argument_that_is_not_declared_is_an_error(tool: MailTool) -> None:
    """Product.md section 5: arguments are strict."""
    refused = await asked(tool, {**least(tool), "surprise": 1})

    assert str(refused).startswith("('refused'")
    assert "surprise" in str(refused)
