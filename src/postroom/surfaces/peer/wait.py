"""`session_wait`: wait until another session changes, or mail comes, or the time is up."""

from collections.abc import Mapping

from postroom.domain.receipt import Code
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.envelope_team import time_text
from postroom.rules.text import scrub
from postroom.service.changes import Change, ChangesView
from postroom.surfaces.arguments import unknown_in
from postroom.surfaces.base import Desk, MailTool, WatchRequest
from postroom.surfaces.peer.returns import WAITED
from postroom.surfaces.peer.words import TIMEOUT_MAX_MS, TIMEOUT_MIN_MS, compact, refused, unreached
from postroom.tools.base import ToolResult

NAME = "session_wait"
TARGETS_MAX = 64
DEFAULT_MS = 30_000
"""systems.md 4.8."""
ALONE = "there is no other session that you may reach, so nothing can change"
STOPPED = "target_stopped: stopped by the user, so nothing changes there until the user lets it go on"
_PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {
        "target_ids": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": TARGETS_MAX,
            "description": "Ids of the sessions to wait for; left out: any session that you may reach.",
        },
        "timeout_ms": {
            "type": "integer",
            "minimum": TIMEOUT_MIN_MS,
            "maximum": TIMEOUT_MAX_MS,
            "default": DEFAULT_MS,
            "description": "How long to wait at most, in milliseconds.",
        },
    },
    "required": [],
    "additionalProperties": False,
}


async def session_wait(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Wait for what changes from now on."""
    request = _request(given)
    if isinstance(request, ToolResult):
        return request
    refusal = await desk.watch(call, request, changes_text)
    return None if refusal is None else unreached(NAME)


def changes_text(view: ChangesView) -> str:
    """What has changed, or that nothing has."""
    told: dict[str, Json] = {"timedOut": view.timed_out, "changes": [_change(one) for one in view.changes]}
    if view.is_alone or view.is_stopped:
        told["reason"] = ALONE if view.is_alone else STOPPED
    return compact(told)


def _change(change: Change) -> Json:
    return {
        "id": change.session_id, "what": change.what, "from": change.before, "to": change.after,
        "at": time_text(change.at_us),
    }  # fmt: skip


def _request(given: Mapping[str, Json]) -> WatchRequest | ToolResult:
    if (unknown := unknown_in(given, ("target_ids", "timeout_ms"))) is not None:
        return refused(NAME, Code.INVALID_ARGUMENTS, unknown)
    ids, timeout_ms = _ids(given), given.get("timeout_ms", DEFAULT_MS)
    if isinstance(ids, str):
        return refused(NAME, Code.INVALID_ARGUMENTS, ids)
    if not isinstance(timeout_ms, int) or isinstance(timeout_ms, bool):
        return refused(NAME, Code.INVALID_ARGUMENTS, "argument timeout_ms must be of type integer")
    if not TIMEOUT_MIN_MS <= timeout_ms <= TIMEOUT_MAX_MS:
        return refused(NAME, Code.INVALID_TIMEOUT)
    return WatchRequest(session_ids=ids, timeout_s=timeout_ms / 1_000)


def _ids(given: Mapping[str, Json]) -> tuple[str, ...] | str:
    """The sessions to wait for; without any, all."""
    if "target_ids" not in given:
        return ()
    found = given["target_ids"]
    texts = [scrub(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []
    if not isinstance(found, list) or not 1 <= len(texts) <= TARGETS_MAX or len(texts) != len(found):
        return f"argument target_ids must be a list of 1 to {TARGETS_MAX} texts"
    return tuple(dict.fromkeys(texts))


SESSION_WAIT = MailTool(
    spec=ToolSpec(
        name=NAME,
        description="Wait until another session does something else, or a message comes for you. What was "
        "before this call does not count. Nothing else is held up meanwhile.",
        parameters=_PARAMETERS,
        returns=WAITED,
    ),
    run=session_wait,
)
