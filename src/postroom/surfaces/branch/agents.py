"""`agent`: make an agent for a task, or give a task to one that exists."""

from collections.abc import Mapping

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.service.delegate import text_of_task
from postroom.service.rights import Wish
from postroom.surfaces.arguments import Field, decode, schema
from postroom.surfaces.base import Desk, DispatchRequest, MailTool, SpawnRequest, answer_of
from postroom.surfaces.bracketed import invalid
from postroom.surfaces.branch.talk import TO
from postroom.surfaces.branch.words import (
    dispatched_text,
    ended_text,
    refusal_result,
    spawned_text,
)
from postroom.tools.base import ToolResult

AGENT_FIELDS = (
    Field(name="prompt", type="string", raw=True, description="The whole task, in full. Not blank."),
    Field(
        name="description", type="string", default="", required=False,
        description="A few words on the task; a new agent is called after them.",
    ),
    Field(
        name="agent_id", type="string", default="", required=False,
        description="The profile as which the agent works; empty: yours, with `to` the agent's own.",
    ),
    Field(
        name="start_from", type="string", default="clean", required=False,
        description="What a new agent knows: clean (the prompt only), inherit (this conversation), or "
        "SID:MSG_ID (any conversation up to that node). Not together with `to`.",
    ),
    Field(
        name="run_in_background", type="boolean", default=False, required=False,
        description="true returns a task id at once, and the result comes by itself; false waits.",
    ),
    Field(
        name="to", type="string", default="", required=False,
        description=f"Give the task to an agent that exists instead, as its next turn: {TO}",
    ),
    Field(
        name="archive_when_done", type="boolean", default=False, required=False,
        description="Archive the new agent when its task has ended. Not together with `to`.",
    ),
)  # fmt: skip


async def agent(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Spawn an agent, in the foreground until its end; or dispatch a task, which never waits."""
    values = decode(AGENT_FIELDS, given)
    if isinstance(values, str):
        return invalid("agent", values)
    if values["to"]:
        return await _dispatch(desk, call, given, values)
    request = SpawnRequest(
        profile=str(values["agent_id"]), description=str(values["description"]),
        prompt=str(values["prompt"]), background=bool(values["run_in_background"]),
        start_from=str(values["start_from"]), archive_when_done=bool(values["archive_when_done"]),
    )  # fmt: skip
    spawned = await desk.delegate(call, request, ended_text, spawned_text)
    if isinstance(spawned, Refusal):
        return refusal_result("agent", spawned, {"profile": request.profile})
    return None


async def _dispatch(
    desk: Desk, call: Call, given: Mapping[str, Json], values: Mapping[str, str | bool | int]
) -> ToolResult | None:
    """A task for an agent that exists; it never waits, so `run_in_background` says nothing here."""
    if given.get("start_from"):
        return invalid(
            "agent", "to and start_from exclude each other: an agent that exists has its own history"
        )
    if values["archive_when_done"]:
        return invalid(
            "agent", "archive_when_done is for the agent that this call makes, and to names another"
        )
    to = str(values["to"])
    request = DispatchRequest(
        to=to, prompt=str(values["prompt"]), description=str(values["description"]),
        profile=str(values["agent_id"]),
    )  # fmt: skip
    sent = await desk.dispatch(call, request, lambda outcome: dispatched_text(to, outcome))
    return answer_of(sent)


def _deed(given: Mapping[str, Json]) -> Wish | None:
    """A task is a message with a receipt; only a new agent is a delegation."""
    values = decode(AGENT_FIELDS, given)
    if isinstance(values, str):
        return None
    prompt, profile, to = (str(values[key]) for key in ("prompt", "agent_id", "to"))
    if to:
        return Wish(tool="agent", action="message", to=to, body=prompt)
    return Wish(
        tool="agent", action="delegate", resource=profile, body=text_of_task(prompt, "", inherits=False)
    )


AGENT = MailTool(
    spec=ToolSpec(
        name="agent",
        description="Make an agent for a task and get its reply, or give a tracked task to one that exists.",
        parameters=schema(AGENT_FIELDS),
    ),
    run=agent,
    action="delegate",
    spends=True,
    wish=_deed,
)
