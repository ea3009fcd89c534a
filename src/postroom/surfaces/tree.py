"""`tree`: mail inside one delegation tree (seed 000; systems.md chapter 3).

Delegate, fetch, cancel and send, beside what every surface has. Rules on the recipient's relation gate every
send; without a rule that lets something through `send_message` is not shown at all (CK-3).
"""

from collections.abc import Mapping

from postroom.domain.policy import Policy
from postroom.domain.receipt import Candidate, Code, Receipt, Refusal
from postroom.domain.turn import Call
from postroom.llm.port import Json, ToolSpec
from postroom.rules.envelope import outcome_text
from postroom.rules.markers import label, neutralise
from postroom.rules.paging import page
from postroom.service.delegate import text_of_task
from postroom.service.rights import Wish
from postroom.service.tasks import Fetched
from postroom.surfaces.arguments import Field, Values, decode, schema
from postroom.surfaces.base import Desk, MailTool, SendRequest, SpawnRequest, Surface, answer_of
from postroom.surfaces.field_tool import FieldTool, plainly_invalid
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.held import when_it_goes
from postroom.surfaces.person import ASK_USER
from postroom.tools.base import ToolResult, refused

SEND_FIELDS = (
    Field(name="to", type="string", description="Handle or session id of the recipient."),
    Field(name="body", type="string", description="What to write. Not blank.", raw=True),
    Field(
        name="mode", type="string", default="steer", required=False, choices=("steer", "queue"),
        description="steer joins the running turn at its next step; queue opens a later turn.",
    ),
)  # fmt: skip
DELEGATE_FIELDS = (
    Field(name="description", type="string", description="A few words on what the child is for."),
    Field(name="prompt", type="string", raw=True, description="The whole task: the child sees nothing else."),
    Field(name="agent_type", type="string", description="The profile of the child."),
    Field(
        name="background", type="boolean", default=False, required=False,
        description="true returns at once and the result arrives by itself; false waits for it.",
    ),
    Field(
        name="resume_session_id", type="string", default="", required=False,
        description="Handle or session id of your own earlier child, which then gets the task; "
        "agent_type must be its profile.",
    ),
    Field(
        name="inherit_context", type="boolean", default=False, required=False,
        description="true lets a new child first read the newest 64 KiB of text of this conversation.",
    ),
)  # fmt: skip
RESULT_FIELDS = (
    Field(name="session_id", type="string", description="Handle or session id of your own child."),
    Field(name="wait", type="boolean", default=False, required=False, description="Wait until it has ended."),
    Field(name="offset", type="integer", default=0, required=False, description="First line to show."),
    Field(name="limit", type="integer", default=2000, required=False, description="Lines to show."),
)
CANCEL_FIELDS = (
    Field(name="session_id", type="string", description="Handle or session id of your own child."),
    Field(name="reason", type="string", default="", required=False, description="Why, for the record."),
)
CANDIDATES_SHOWN = 100
"""Peers that an unknown handle is answered with."""
_WORDS = {
    Code.DISABLED: "messaging is switched off",
    Code.INVALID_BODY: "the body is blank, has broken characters or is longer than the limit",
    Code.UNKNOWN_SESSION: "no session has this id",
    Code.NOT_TREE_PEER: "that session belongs to another tree",
    Code.SELF_SEND: "that is yourself",
    Code.INBOX_FULL: "the recipient has too many unread messages; try again later",
    Code.MAILBOX_FULL: "too many of your messages to this recipient are unread or held; try again later",
    Code.MAX_HOPS_EXCEEDED: "this chain of messages has gone through too many hops",
    Code.INFLIGHT_FULL: "too many of your messages to this recipient are unread; try again later",
    Code.CHAIN_SPENT: "the budget of this conversation is spent",
    Code.MAILBOX_LIMIT: "the recipient's mailbox can hold no more",
    Code.IDEMPOTENCY_CONFLICT: "this call has sent another message before",
    Code.PERMISSION_DENIED: "permission denied by your rules",
    Code.UNKNOWN_PROFILE: "no profile has this name",
    Code.DELEGATION_TOO_DEEP: "the tree of delegation may not grow deeper here",
    Code.DELEGATION_FULL: "too many turns of this tree wait already; try again later",
    Code.NOT_YOUR_CHILD: "none of your own children has this handle or id",
    Code.NO_TASK: "this child was never given a task",
    Code.ALREADY_ENDED: "its task has already ended",
    Code.CHILD_RUNNING: "this child still works; wait for its end, or write to it",
    Code.TARGET_STOPPED: "this child was stopped by the person, and waits until the person lets it go on",
    Code.INVALID_ARGUMENTS: "this child has another profile",
}


async def send_message(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """Accept a message; success means durably accepted, not seen."""
    request = SendRequest(to=str(values["to"]), body=str(values["body"]), mode=str(values["mode"]))
    sent = await desk.send(call, request, lambda outcome: send_text(request.to, outcome))
    return answer_of(sent)


def send_text(to: str, outcome: Receipt | Refusal) -> str:
    """The words for a receipt or a refusal."""
    if isinstance(outcome, Receipt):
        held = f"Held for {to}: it goes when {when_it_goes(outcome)}."
        return (
            (held if outcome.held else f"Accepted for {to} (recipient is {outcome.recipient_state}).") + "\n"
            f"message_id: {outcome.message_id}\nmode: {outcome.mode}\n"
            f"recipient_state: {outcome.recipient_state}"
        )
    if outcome.code is Code.UNKNOWN_REFERENCE:
        shown = _candidates(outcome.candidates)
        to = label(str(outcome.facts.get("to", "")))
        what = f'unknown subagent reference "{to}". You can write to:\n{shown}'
    else:
        what = _WORDS.get(outcome.code, outcome.code)
    return f"send_message:{outcome.code}: {what}"


def _candidates(peers: tuple[Candidate, ...]) -> str:
    """One line for each, sorted; a result is bounded, however many agents a tree has (systems.md 3.2)."""
    lines = sorted(map(_candidate, peers))
    more = len(lines) - CANDIDATES_SHOWN
    return "\n".join(lines[:CANDIDATES_SHOWN] + ([f"(and {more} more)"] if more > 0 else [])) or "(none)"


def _candidate(peer: Candidate) -> str:
    name = peer.handle or peer.session_id
    tail = f" (session_id {peer.session_id})" if peer.handle else ""
    return f"{name} — {label(peer.description)} — {peer.status}{tail}"


async def delegate_subagent(desk: Desk, call: Call, given: Mapping[str, Json]) -> ToolResult | None:
    """Spawn a child; foreground waits for its end, background returns its handle."""
    values = decode(DELEGATE_FIELDS, given)
    if isinstance(values, str):
        return refused("delegate_subagent", Code.INVALID_ARGUMENTS, values)
    request = SpawnRequest(
        profile=str(values["agent_type"]), description=str(values["description"]),
        prompt=str(values["prompt"]), background=bool(values["background"]),
        resume=str(values["resume_session_id"]), inherits=bool(values["inherit_context"]),
    )  # fmt: skip
    if "resume_session_id" in given and (not request.resume or request.inherits):
        wrong = "resume_session_id may not be empty, and goes without inherit_context"
        return refused("delegate_subagent", Code.INVALID_ARGUMENTS, wrong)
    spawned = await desk.delegate(call, request, teaser_text)
    return _refusal("delegate_subagent", spawned) if isinstance(spawned, Refusal) else None


async def get_subagent_result(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """A child's latest answer by lines, or that it still runs."""
    offset, limit = int(values["offset"]), int(values["limit"])
    if offset < 0 or limit < 1:
        wrong = "offset must be 0 or more, limit 1 or more"
        return refused("get_subagent_result", Code.INVALID_ARGUMENTS, wrong)
    refusal = await desk.result(
        call, str(values["session_id"]), lambda f: page_text(f, offset, limit), wait=bool(values["wait"])
    )
    return None if refusal is None else _refusal("get_subagent_result", refusal)


async def cancel_subagent(desk: Desk, call: Call, values: Values) -> ToolResult | None:
    """End a child's task and everything under it."""
    done = await desk.cancel(call, str(values["session_id"]), str(values["reason"]))
    return _refusal("cancel_subagent", done) if isinstance(done, Refusal) else None


def teaser_text(fetched: Fetched) -> str:
    """The end of a child as the result of the call that waited for it."""
    return outcome_text(fetched.text, fetched.facts)


def page_text(fetched: Fetched, offset: int, limit: int) -> str:
    """Lines of a child's answer, with status, total and turn; how to read on, where there is more."""
    shown = page(fetched.text, offset, limit)
    head = f"{fetched.handle}: status {fetched.status}, {shown.total} lines, turn {fetched.turn_id or 'none'}"
    if not shown.total:
        ended = fetched.facts.outcome
        return head if not ended or ended == "succeeded" else f"{head}\n{outcome_text('', fetched.facts)}"
    if not shown.text:
        return f"{head}, none behind line {shown.total}"
    head += f", showing {shown.first + 1} to {shown.end}"
    if shown.end < shown.total:
        head += f", more with offset={shown.end}"
    for first, end in shown.cut:
        head += f"; {first + 1} to {end} are parts of one long line"
    return f"{head}\n{neutralise(shown.text)}"


def _refusal(tool: str, refusal: Refusal) -> ToolResult:
    facts = ", ".join(f"{k}: {label(str(v))}" for k, v in refusal.facts.items())
    text = f"{tool}:{refusal.code}: {_WORDS.get(refusal.code, refusal.code)}"
    return ToolResult(text=f"{text} ({facts})" if facts else text, is_error=True)


def _letter(values: Values) -> Wish:
    return Wish(tool="send_message", action="message", to=str(values["to"]), body=str(values["body"]))


def _task(given: Mapping[str, Json]) -> Wish | None:
    values = decode(DELEGATE_FIELDS, given)
    if isinstance(values, str):
        return None
    text = text_of_task(
        str(values["prompt"]), str(values["resume_session_id"]), inherits=bool(values["inherit_context"])
    )
    return Wish(tool="delegate_subagent", action="delegate", resource=str(values["agent_type"]), body=text)


TREE = Surface(
    name="tree",
    policy=Policy(surface="tree"),
    tools=(
        MailTool(
            spec=ToolSpec(
                name="delegate_subagent", description="Hand a task to a new agent below you.",
                parameters=schema(DELEGATE_FIELDS),
            ),
            run=delegate_subagent, action="delegate", wish=_task,
        ),
        FieldTool(
            name="get_subagent_result", description="Read the latest answer of your own child.",
            fields=RESULT_FIELDS, run=get_subagent_result, invalid=plainly_invalid, action="delegate",
        ).made(),
        FieldTool(
            name="cancel_subagent", description="End the task of your own child.", fields=CANCEL_FIELDS,
            run=cancel_subagent, invalid=plainly_invalid, action="delegate",
        ).made(),
        FieldTool(
            name="send_message", fields=SEND_FIELDS, run=send_message, invalid=plainly_invalid,
            description="Write to another agent of your tree; it reads it by itself.",
            action="message", wish=_letter,
        ).made(),
        ASK_USER,
        *GOAL_TOOLS,
    ),
)  # fmt: skip
