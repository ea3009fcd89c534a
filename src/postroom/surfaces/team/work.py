"""`agent` and `wait`: how the agents of a team hand work out, and wait for it."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.plain import Json
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.llm.port import ToolSpec
from postroom.rules.text import is_blank, scrub
from postroom.service.delegate import text_of_task
from postroom.service.rights import Wish
from postroom.service.wait_for import WaitRequest
from postroom.surfaces.arguments import Field, decode, schema, unknown_in
from postroom.surfaces.base import Desk, DispatchRequest, MailTool, SpawnRequest, answer_of
from postroom.surfaces.bracketed import invalid
from postroom.surfaces.team.work_words import (
    WORDING,
    dispatched_text,
    ended_text,
    spawned_text,
    wait_text,
)
from postroom.tools.base import ToolResult

TO: Final = "A handle, an id, SID:HEAD or an exact name; see list_agents."
WAIT_S: Final = 300
WAIT_S_MAX: Final = 3_600
TARGETS_MAX: Final = 32
AGENT_FIELDS = (
    Field(name="prompt", type="string", raw=True, description="The whole task, in full. Not blank."),
    Field(
        name="description", type="string", default="", required=False,
        description="A few words on the task; a new agent is called after them.",
    ),
    Field(
        name="profile", type="string", default="", required=False,
        description="The profile as which the agent works; empty: yours, with `to` the agent's own.",
    ),
    Field(
        name="context", type="string", default="clean", required=False, choices=("clean", "inherit"),
        description="What a new agent knows: clean (the prompt only) or inherit (this conversation so far).",
    ),
    Field(
        name="background", type="boolean", default=False, required=False,
        description="true returns a task id at once, and the result comes by itself; false waits for it.",
    ),
    Field(
        name="to", type="string", default="", required=False,
        description=f"Give the task to an agent that exists instead, as a turn of its own. {TO}",
    ),
    Field(
        name="archive_when_done", type="boolean", default=False, required=False,
        description="Archive the new agent when its task has ended. Not together with `to`.",
    ),
)  # fmt: skip
_WAIT_PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {
        "for": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": TARGETS_MAX,
            "description": "Ids of tasks or messages, or agents: returns when all of them are done. Without "
            "it: when any task that you gave ends.",
        },
        "timeout_s": {
            "type": "integer",
            "minimum": 1,
            "maximum": WAIT_S_MAX,
            "default": WAIT_S,
            "description": "Seconds to wait at most.",
        },
    },
    "required": [],
    "additionalProperties": False,
}


async def agent(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Make an agent for a task, or give a task to one that exists; in the foreground until its end."""
    values = decode(AGENT_FIELDS, given)
    if isinstance(values, str):
        return invalid("agent", values)
    if values["to"]:
        return await _dispatch(desk, call, given, values)
    request = SpawnRequest(
        profile=str(values["profile"]), description=str(values["description"]),
        prompt=str(values["prompt"]), background=bool(values["background"]),
        start_from=str(values["context"]), archive_when_done=bool(values["archive_when_done"]),
    )  # fmt: skip
    spawned = await desk.delegate(call, request, ended_text, spawned_text)
    if isinstance(spawned, Refusal):
        return WORDING.result("agent", spawned, {"profile": request.profile})
    return None


async def _dispatch(
    desk: Desk, call: Call, given: Mapping[str, Json], values: Mapping[str, str | bool | int]
) -> ToolResult | None:
    """A task for an agent that exists."""
    if "context" in given:
        return invalid("agent", "to and context exclude each other: an agent that exists has its own history")
    if values["archive_when_done"]:
        return invalid("agent", "archive_when_done is for the agent that this call makes; to names another")
    to = str(values["to"])
    request = DispatchRequest(
        to=to, prompt=str(values["prompt"]), description=str(values["description"]),
        profile=str(values["profile"]), waits=not values["background"],
    )  # fmt: skip
    sent = await desk.dispatch(call, request, lambda outcome: dispatched_text(to, outcome), ended_text)
    return answer_of(sent)


def _deed(given: Mapping[str, Json]) -> Wish | None:
    """A task is a message with a receipt; only a new agent is a delegation."""
    values = decode(AGENT_FIELDS, given)
    if isinstance(values, str):
        return None
    prompt, profile, to = (str(values[key]) for key in ("prompt", "profile", "to"))
    if to:
        return Wish(tool="agent", action="message", to=to, body=prompt)
    text = text_of_task(prompt, "", inherits=False)
    return Wish(tool="agent", action="delegate", resource=profile, body=text)


async def wait(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Wait for several things, or for whatever comes first; mail that may join this turn ends it early."""
    decoded = _decode_wait(given)
    if isinstance(decoded, str):
        return invalid("wait", decoded)
    references, timeout_s = decoded
    refusal = await desk.wait_for(call, WaitRequest(references=references, render=wait_text), timeout_s)
    return None if refusal is None else WORDING.result("wait", refusal, {})


def _decode_wait(given: Mapping[str, Json]) -> tuple[tuple[str, ...], int] | str:
    if (unknown := unknown_in(given, ("for", "timeout_s"))) is not None:
        return unknown
    targets, timeout_s = given.get("for"), given.get("timeout_s", WAIT_S)
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int) or not 1 <= timeout_s <= WAIT_S_MAX:
        return f"argument timeout_s must be a whole number from 1 to {WAIT_S_MAX}"
    found = [] if targets is None else targets
    if not isinstance(found, list) or len(found) > TARGETS_MAX:
        return f"argument for must be a list of at most {TARGETS_MAX} ids or addresses"
    texts = [scrub(one) for one in found if isinstance(one, str) and not is_blank(one)]
    return "each item of for must be a text that is not blank" if len(texts) != len(found) else (
        tuple(texts), timeout_s,
    )  # fmt: skip


AGENT = MailTool(
    spec=ToolSpec(
        name="agent",
        description="Make an agent for a task and get its result, or give a tracked task to one that exists.",
        parameters=schema(AGENT_FIELDS),
    ),
    run=agent,
    action="delegate",
    spends=True,
    wish=_deed,
)
WAIT = MailTool(
    spec=ToolSpec(
        name="wait",
        description="Wait for tasks, messages or agents without doing anything. Returns early with what "
        "happened when a message comes that you can answer now.",
        parameters=_WAIT_PARAMETERS,
    ),
    run=wait,
)
