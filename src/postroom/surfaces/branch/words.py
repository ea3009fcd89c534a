"""What an agent on `branch` reads of its own calls: a tag in brackets, then what it can act on.

The tags are those of systems.md 1.6. A refusal has its stable code in parentheses behind the words.
"""

from collections.abc import Mapping

from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.rules.markers import label
from postroom.service.delegate import Spawned
from postroom.service.tasks import Fetched
from postroom.surfaces.bracketed import MAIL_WORDS, WORK_WORDS, sentence, told
from postroom.surfaces.held import when_it_goes
from postroom.tools.base import ToolResult

SEE = "list_agents shows the branches that there are"
_WORDS: Mapping[Code, str] = {
    **MAIL_WORDS,
    **WORK_WORDS,
    Code.SPAWN_SYNTAX: "{to} names nobody: the tool agent makes agents, and start_from says where they begin",
    Code.EMPTY_TO: f"to is required: the address of a branch, or its name; {SEE}",
    Code.HEAD_MISSING: f"behind the colon of {{to}} the branch is missing; {SEE}",
    Code.UNKNOWN_NODE: f"the session has no branch and no node {{head}}; {SEE}",
    Code.UNKNOWN_SESSION: f"no session has the id in {{to}}; {SEE}",
    Code.UNKNOWN_REFERENCE: f"no branch has the address or name {{to}}; {SEE}",
    Code.NOT_TREE_PEER: f"no branch has the address or name {{to}}; {SEE}",
    Code.AMBIGUOUS: "several branches are called {to}; use the address of one of them",
    Code.ARCHIVED: "{to} is archived and takes no messages and tasks any more; read_conversation still "
    "reads it, and agent(start_from=...) goes on from it in a new branch",
    Code.SELF_SEND: "{to} is the branch of this very turn, so that would be a loop",
    Code.FAN_OUT_SPENT: "{spent} agents were made in this turn, which is the limit; "
    "give them work with agent(to=...)",
    Code.MAILBOX_FULL: "too many of your messages to {to} are unread or held; try again later",
    Code.WOULD_DEADLOCK: "the agent that does it waits for you, so neither would go on; end your turn, "
    "and the result comes by itself",
    Code.NOT_DISPATCHER: "task {task_id} was not dispatched by this session",
}
_PLACES: Mapping[Code, str] = {
    Code.INVALID_ARGUMENTS: "start_from must be clean, inherit or SID:MSG_ID, and not {start_from}",
    Code.HEAD_MISSING: "start_from {start_from} lacks one half of SID:MSG_ID",
    Code.UNKNOWN_SESSION: "start_from {start_from}: there is no such session",
    Code.UNKNOWN_NODE: "start_from {start_from}: the session has no such node",
}
"""What is wrong with the place where an agent should begin."""
_OWN_BRANCH = {"agent": "do the work directly", "send_message": "nothing was sent"}


def refusal_result(tool: str, refusal: Refusal, given: Mapping[str, str]) -> ToolResult:
    """A refusal that the service has put into the log already, as the call's result."""
    return ToolResult(text=refusal_text(tool, refusal, given), is_error=True)


def refusal_text(tool: str, refusal: Refusal, given: Mapping[str, str]) -> str:
    """The words for a refusal; `given` are the arguments that it may be about."""
    code = refusal.code
    if code is Code.DUPLICATE:
        return _duplicate(tool, refusal)
    words = (_PLACES if "start_from" in refusal.facts else _WORDS).get(code, code.replace("_", " "))
    rest = f"; {_OWN_BRANCH.get(tool, 'nothing was done')}" if code is Code.SELF_SEND else ""
    return sentence(tool, words, refusal, given, rest=rest)


def _duplicate(tool: str, refusal: Refusal) -> str:
    what = "duplicate dispatch ignored" if tool == "agent" else "duplicate ignored"
    to = label(str(refusal.facts.get("to", "")))
    return f"[{tool}] {what}: you gave {to} the same text in the last 60s, and it still waits there unread"


def sent_text(to: str, outcome: Receipt | Refusal) -> str:
    """The outcome of `send_message`: it is on its way, it waits, or it was refused."""
    if isinstance(outcome, Refusal):
        return refusal_text("send_message", outcome, {"to": to})
    delivery = f"delivery_id={outcome.message_id}"
    if outcome.held:
        return f"[held] {delivery}\nKept for {outcome.address}: it goes when {when_it_goes(outcome)}."
    if outcome.waits:
        then = "the answer will come to you by itself"
        return f"[queued] {delivery}\n{outcome.address} {_busy(outcome)}, and {then}."
    return (
        f"[delivered, running async] {delivery}\n{outcome.address} gets a turn for it. You are not "
        "blocked: go on, the answer will come to you by itself."
    )


def dispatched_text(to: str, outcome: Receipt | Refusal) -> str:
    """The outcome of `agent(to=...)`: always a task id, or a refusal."""
    if isinstance(outcome, Refusal):
        return refusal_text("agent", outcome, {"to": to})
    task = f"task_id={outcome.task_id} target={outcome.address}"
    if outcome.held:
        return f"[held] {task}\nKept for it: the task goes when {when_it_goes(outcome)}."
    if outcome.waits:
        return (
            f"[task dispatched, queued] {task}\nIt {_busy(outcome)}. The result will come to you by itself."
        )
    return f"[task dispatched] {task}\nThe result will come to you by itself."


def _busy(receipt: Receipt) -> str:
    if receipt.stopped:
        return "was stopped by the user and reads it when it may go on"
    return "is busy and reads it when its turn ends"


def spawned_text(spawned: Spawned) -> str:
    """An agent that was made and works in the background."""
    return (
        f"[agent spawned async] task_id={spawned.task_id} branch={spawned.handle}\n"
        "It works in the background. The result will come to you by itself."
    )


def ended_text(fetched: Fetched) -> str:
    """What came of an agent for the call that waited for it, and the address of its branch."""
    return f"{told(fetched)}\n\n[spawned agent branch={fetched.facts.sender}]"
