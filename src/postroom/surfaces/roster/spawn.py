"""A tool for each profile that an agent may delegate to, under the profile's name: one task, one answer.

The call waits for the agent that it makes. Several in one round run beside each other.
"""

from collections.abc import Mapping
from functools import partial

from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.naming import tool_name
from postroom.rules.text import brief
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.base import Desk, MailTool, SpawnRequest
from postroom.surfaces.roster.words import ended_text, refused_spawn
from postroom.tools.base import ToolResult, refused

TITLE_CHARS = 70
"""How much of a task names the agent in lists."""
TASK_FIELDS = (
    Field(name="task", type="string", raw=True, description="The whole task: the agent sees nothing else."),
)
HOW = "Makes an agent for one task and waits; what it says last is the result."


def spawn_tool(profile: str, description: str) -> MailTool:
    """The tool that makes an agent of this profile."""
    name = tool_name(profile)
    return MailTool(
        spec=ToolSpec(name=name, description=f"{description}\n{HOW}", parameters=schema(TASK_FIELDS)),
        run=partial(_spawn, profile),
        action="delegate",
        only=profile,
        wish=partial(_wish, profile),
    )


async def _spawn(profile: str, desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    values = decode(TASK_FIELDS, given)
    if isinstance(values, str):
        return refused(call.tool, Code.INVALID_ARGUMENTS, values)
    task = str(values["task"])
    request = SpawnRequest(
        profile=profile, description=brief(task, TITLE_CHARS), prompt=task, background=False
    )
    spawned = await desk.delegate(call, request, lambda fetched: ended_text(profile, fetched))
    return refused_spawn(call.tool, spawned) if isinstance(spawned, Refusal) else None


def _wish(profile: str, given: Mapping[str, Json]) -> Wish | None:
    values = decode(TASK_FIELDS, given)
    if isinstance(values, str):
        return None
    return Wish(tool=tool_name(profile), action="delegate", resource=profile, body=str(values["task"]))
