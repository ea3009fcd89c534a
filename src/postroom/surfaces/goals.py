"""`goal_get` and `goal_update`: how an agent reads its goal and keeps the list that measures it.

They are shown while the agent has a goal. The list is given whole each time, so that no item needs an id.
"""

from collections.abc import Mapping

from postroom.domain.goal import Goal, GoalState
from postroom.domain.plain import Json
from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.llm.port import ToolSpec
from postroom.rules.goals import ITEM_CHARS_MAX, ITEMS_MAX, Item, is_fit, outline, read_items
from postroom.rules.markers import neutralise
from postroom.surfaces.arguments import Values, unknown_in
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.field_tool import FieldTool, plainly_invalid
from postroom.tools.base import ToolResult, refused

_NO_GOAL = "you have no goal: it was reached or cancelled"
_STATES = {
    GoalState.ACTIVE: "It is active: you are reminded of it when you stop before all is done.",
    GoalState.PAUSED: "It is paused: nobody reminds you of it until the person resumes it.",
    GoalState.COMPLETED: "All is done: the goal is reached.",
}
_ITEMS: dict[str, Json] = {
    "type": "array",
    "description": f"The whole list of at most {ITEMS_MAX} items, each a text and whether it is done.",
    "items": {
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "description": f"What is to be done, at most {ITEM_CHARS_MAX} characters.",
            },
            "done": {"type": "boolean", "description": "Whether it is done."},
        },
        "required": ["text", "done"],
        "additionalProperties": False,
    },
}


async def goal_get(desk: Desk, _call: Call, _values: Values) -> ToolResult | None:
    """The goal and its list."""
    goal = await desk.goal()
    return refused("goal_get", Code.NO_GOAL, _NO_GOAL) if goal is None else ToolResult(text=goal_text(goal))


async def goal_update(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Put another list in the place of the one before; all done is the end of the goal."""
    items = decode_items(given)
    if isinstance(items, str):
        return refused("goal_update", Code.INVALID_ARGUMENTS, items)
    refusal = await desk.change_goal(call, items, goal_text)
    return None if refusal is None else refused("goal_update", refusal.code, _NO_GOAL)


def decode_items(given: Mapping[str, Json]) -> tuple[Item, ...] | str:
    """The list in the arguments, or what is wrong with them."""
    if (unknown := unknown_in(given, ("items",))) is not None:
        return unknown
    if "items" not in given:
        return "argument items is missing"
    found = given["items"]
    if not isinstance(found, list):
        return "argument items must be of type array"
    if len(found) > ITEMS_MAX:
        return f"argument items holds {len(found)} items; at most {ITEMS_MAX} are taken"
    items: list[Item] = []
    for place, one in enumerate(found, 1):
        item = _item(one)
        if isinstance(item, str):
            return f"item {place} {item}"
        items.append(item)
    return tuple(items)


def _item(given: Json) -> Item | str:
    if not isinstance(given, dict):
        return "must be an object"
    if set(given) != {"text", "done"}:
        return "must have exactly the fields text and done"
    text, done = given["text"], given["done"]
    if not isinstance(text, str) or not isinstance(done, bool):
        return "must have a string text and a boolean done"
    if not is_fit(text, ITEM_CHARS_MAX):
        return f"has a text that is blank, broken or longer than {ITEM_CHARS_MAX} characters"
    return Item(text, done)


def goal_text(goal: Goal) -> str:
    """A goal in the words of its agent's tools."""
    state = _STATES.get(GoalState(goal.state), "")
    return f"{neutralise(outline(goal.text, read_items(goal.items)))}\n{state}"


_SHOWN: dict[str, Json] = {"type": "string", "description": "The goal, its list, and how it stands."}
GOAL_TOOLS = (
    FieldTool(
        name="goal_get", description="Read your goal and its list.", fields=(), run=goal_get,
        invalid=plainly_invalid, returns=_SHOWN, action="goal",
    ).made(),
    MailTool(
        spec=ToolSpec(
            name="goal_update",
            description="Write the whole list of what your goal takes; when all is done, it is reached.",
            parameters={
                "type": "object", "properties": {"items": _ITEMS}, "required": ["items"],
                "additionalProperties": False,
            },
            returns=_SHOWN,
        ),
        run=goal_update,
        action="goal",
    ),
)  # fmt: skip
"""Only the agent at the root of a tree has goals, so only it is ever shown these."""
