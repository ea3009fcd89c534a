"""A tool for each profile that an agent may delegate to, under the profile's name: one task, one answer.

The call waits for the agent that it makes. Several in one round run beside each other.
"""

from functools import partial

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.rules.naming import tool_name
from postroom.rules.text import brief
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, MailTool, SpawnRequest
from postroom.surfaces.field_tool import FieldTool, plainly_invalid
from postroom.surfaces.roster.words import ended_text, refused_spawn
from postroom.tools.base import ToolResult

TITLE_CHARS = 70
"""How much of a task names the agent in lists."""
TASK_FIELDS = (
    Field(name="task", type="string", raw=True, description="The whole task: the agent sees nothing else."),
)
HOW = "Makes an agent for one task and waits; what it says last is the result."


def spawn_tool(profile: str, description: str) -> MailTool:
    """The tool that makes an agent of this profile."""
    name = tool_name(profile)
    return FieldTool(
        name=name, description=f"{description}\n{HOW}", fields=TASK_FIELDS, run=partial(_spawn, profile),
        invalid=plainly_invalid, action="delegate", only=profile, wish=partial(_wish, profile),
    ).made()  # fmt: skip


async def _spawn(profile: str, desk: Desk, call: Call, values: Values) -> ToolResult | None:
    task = str(values["task"])
    request = SpawnRequest(
        profile=profile, description=brief(task, TITLE_CHARS), prompt=task, background=False
    )
    spawned = await desk.delegate(call, request, lambda fetched: ended_text(profile, fetched))
    return refused_spawn(call.tool, spawned) if isinstance(spawned, Refusal) else None


def _wish(profile: str, values: Values) -> Wish:
    return Wish(tool=tool_name(profile), action="delegate", resource=profile, body=str(values["task"]))
