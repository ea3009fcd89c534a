"""`spawn_subagent`: hand a task to a new session of one's own kind."""

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json
from postroom.rules.envelope_peer import end_line, rest_line
from postroom.rules.markers import cut, neutralise
from postroom.service.delegate import Spawned, text_of_task
from postroom.service.rights import Wish
from postroom.service.tasks import Fetched
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, SpawnRequest
from postroom.surfaces.field_tool import FieldTool
from postroom.surfaces.peer.returns import SPAWNED
from postroom.surfaces.peer.words import compact, invalid, spawn_refusal
from postroom.tools.base import ToolResult

NAME = "spawn_subagent"
FIELDS = (
    Field(name="description", type="string", description="A few words on what it is for."),
    Field(name="prompt", type="string", raw=True, description="The whole task: it sees nothing else."),
    Field(
        name="background", type="boolean", default=False, required=False,
        description="true returns at once and the result arrives by itself; false waits for it.",
    ),
)  # fmt: skip


async def spawn_subagent(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Spawn a copy of the caller; foreground waits for its end."""
    request = SpawnRequest(
        profile="", description=str(values["description"]), prompt=str(values["prompt"]),
        background=bool(values["background"]),
    )  # fmt: skip
    spawned = await desk.delegate(call, request, ended_text, started_text)
    return spawn_refusal(NAME, spawned) if isinstance(spawned, Refusal) else None


def started_text(spawned: Spawned) -> str:
    """A session that works in the background."""
    told: dict[str, Json] = {
        "sessionId": spawned.handle, "taskId": spawned.task_id, "origin": "subagent", "status": "started",
    }  # fmt: skip
    return compact(told)


def ended_text(fetched: Fetched) -> str:
    """What came of it for the call that waited."""
    facts = fetched.facts
    told: dict[str, Json] = {
        "sessionId": fetched.handle, "taskId": fetched.task_id, "origin": "subagent",
        "status": fetched.status, "text": cut(neutralise(fetched.text), facts.limit_chars),
    }  # fmt: skip
    if rest := rest_line(fetched.text, facts):
        told["rest"] = rest
    if facts.outcome != "succeeded":
        told["error"] = end_line(facts)
    return compact(told)


def _task(values: Values) -> Wish:
    text = text_of_task(str(values["prompt"]), "", inherits=False)
    return Wish(tool=NAME, action="delegate", body=text)


SPAWN_SUBAGENT = FieldTool(
    name=NAME,
    description="Hand a task to a new session that works as you do, in your directory.",
    fields=FIELDS,
    run=spawn_subagent,
    invalid=invalid,
    returns=SPAWNED,
    action="delegate",
    wish=_task,
).made()
