"""What an agent on `team` reads of the work that it hands out and waits for."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.domain.task import FINAL_STATES
from postroom.rules.markers import label
from postroom.service.delegate import Spawned
from postroom.service.lineup import AgentLine, Lineup
from postroom.service.tasks import Fetched
from postroom.service.wait_for import Awaited, Ended, WaitView
from postroom.surfaces.bracketed import MAIL_WORDS, WORK_WORDS, Wording, told
from postroom.surfaces.held import when_it_goes
from postroom.surfaces.tasks import cut_line

SEE: Final = "list_agents shows the agents that there are"
RESULTS_CHARS: Final = 30_000
RESULT_CHARS_MIN: Final = 2_000
"""What one wait shows of all results together, and at least of each."""
NOBODY: Final = "(no agents)"
READ_BEFORE: Final = "You have read its result before; task_output shows it again."
WORDS: Mapping[Code, str] = {
    **MAIL_WORDS,
    **WORK_WORDS,
    Code.EMPTY_TO: f"an address is required: a handle, an id or a name; {SEE}",
    Code.HEAD_MISSING: f"behind the colon of {{to}} the branch is missing; {SEE}",
    Code.UNKNOWN_NODE: f"the session has no branch and no node {{head}}; {SEE}",
    Code.UNKNOWN_SESSION: f"nobody has the id {{to}}; {SEE}",
    Code.UNKNOWN_REFERENCE: f"nobody is called {{to}}; {SEE}",
    Code.NOT_TREE_PEER: f"nobody is called {{to}}; {SEE}",
    Code.AMBIGUOUS: "several agents are called {to}; use the address of one of them",
    Code.ARCHIVED: "{to} is archived and takes no work any more; read_conversation still reads it",
    Code.SELF_SEND: "{to} is you; do the work yourself",
    Code.FAN_OUT_SPENT: "{spent} agents were made in this turn, of {limit} that one turn may make; "
    "give them work with agent(to=...)",
    Code.WOULD_DEADLOCK: "{to} waits for you, directly or through others, so nobody would go on; end your "
    "turn, and what you wait for comes by itself",
    Code.NOT_DISPATCHER: "task {task_id} was given neither by you nor by an agent below you",
    Code.UNKNOWN_MESSAGE: "neither you nor an agent below you has sent a message with the id {message}",
    Code.APPROVAL_EXPIRED: "nobody gave leave in time",
}
WORDING: Final = Wording(words=WORDS)
NOT_BELOW: Final = "{to} does not stand below you; only agents that grew out of your own work can be retired"


def spawned_text(spawned: Spawned) -> str:
    """An agent that was made and works in the background."""
    return (
        f"[agent started] task_id={spawned.task_id} agent={spawned.handle}\n"
        "It works in the background; its result comes to you by itself, and wait returns it."
    )


def ended_text(fetched: Fetched) -> str:
    """What came of an agent for the call that waited for it, or why the call waits no more."""
    facts = fetched.facts
    line = f"task_id={facts.task} agent={facts.sender}"
    if fetched.mail_waiting and fetched.state not in FINAL_STATES:
        return f"[agent goes on in the background] {line}\n{cut_line(fetched.mail_waiting)}"
    return f"{told(fetched)}\n\n[agent ended] {line} outcome={fetched.status}"


def dispatched_text(to: str, outcome: Receipt | Refusal) -> str:
    """The outcome of `agent(to=...)` in the background: always a task id, or a refusal."""
    if isinstance(outcome, Refusal):
        return WORDING.text("agent", outcome, {"to": to})
    line = f"task_id={outcome.task_id} agent={outcome.address}"
    if outcome.held:
        return f"[task held] {line}\nIt goes when {when_it_goes(outcome)}; its result comes to you by itself."
    if outcome.stopped:
        then = "It was stopped by the user, and begins when it may go on."
    else:
        then = "It begins when its turn ends." if outcome.waits else "It has begun."
    return f"[task given] {line}\n{then} The result comes to you by itself, and wait returns it."


def wait_text(view: WaitView) -> str:
    """How a wait has ended: one line to be read by a program, then what it is about."""
    head = {
        "reason": str(view.ended), "done": [one.reference for one in view.done],
        "still_running": list(view.still_running), "mail_waiting": view.mail_waiting,
    }  # fmt: skip
    lines = [json.dumps(head, ensure_ascii=False)]
    if view.ended is Ended.MAIL:
        lines.append("What waits for you is read with your next request. wait again to wait on.")
    if view.ended is Ended.TARGET_STOPPED:
        stopped = ", ".join(dict.fromkeys(view.stopped))
        lines.append(f"Stopped by the user until the user says otherwise: {stopped}.")
    results = sum(one.task is not None for one in view.done)
    return "\n".join([*lines, *(_awaited(one, RESULTS_CHARS // max(results, 1)) for one in view.done)])


def _awaited(one: Awaited, limit_chars: int) -> str:
    if one.task is None:
        return f"[{one.what} {one.state}] {one.reference}"
    facts = one.task.facts
    if one.was_read:
        return f"[task {facts.task} of {facts.sender}: {one.state}] {READ_BEFORE}"
    limit = min(facts.limit_chars, max(limit_chars, RESULT_CHARS_MIN))
    shown = told(replace(one.task, facts=replace(facts, limit_chars=limit)))
    return f"\n[task {facts.task} of {facts.sender}: {one.state}]\n{shown}"


def lineup_text(lineup: Lineup) -> str:
    """One line for each agent."""
    lines = [_agent(line) for line in lineup.lines]
    if not lineup.is_whole:
        lines.append("(there are more; ask with a higher limit)")
    return "\n".join(lines) or NOBODY


def _agent(line: AgentLine) -> str:
    name = f" «{label(line.name)}»" if line.name else ""
    own = " (you)" if line.is_own else ""
    work = f" — {label(line.work)}" if line.work else ""
    return f"{line.address}{name} [{label(line.profile)}] {line.status}{own}{work}"
