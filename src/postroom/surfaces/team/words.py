"""What an agent on `team` reads of its own messages: receipts, refusals, and what became of them.

One line for the whole, then one for each recipient. A refusal has its stable code in parentheses behind the
words. Names and addresses are neutral here as everywhere (`rules.markers`).
"""

from collections.abc import Mapping

from postroom.domain.message import HeldFor, Reason, State
from postroom.domain.receipt import Candidate, Code, Receipt, RecipientState, Refusal
from postroom.rules.envelope_team import age_text, time_text
from postroom.rules.markers import label, neutralise
from postroom.service.letters import MessageStatus, Page, Standing
from postroom.service.recall import Place, Recalled
from postroom.surfaces.bracketed import MAIL_WORDS
from postroom.tools.base import ToolResult

CANDIDATES_SHOWN = 100
SEE = "list_agents shows whom you may write to"
STOPPED = "stopped by the user"
LEFT = "in a part of its conversation that the user has taken back"
HELD = "held, waits for the person's leave"
_HELD_FOR: Mapping[str, str] = {
    HeldFor.APPROVAL: HELD,
    HeldFor.COLD: "held until the recipient is opened",
    HeldFor.NO_DIRECTORY: "held until the recipient's directory is there",
}
_WORDS: Mapping[Code, str] = {
    **MAIL_WORDS,
    Code.INVALID_BODY: "the message is blank, has broken characters or is longer than the limit",
    Code.EMPTY_TO: f"an address is required: a handle, an id or a name; {SEE}",
    Code.UNKNOWN_REFERENCE: f"nobody is called {{to}}; {SEE}",
    Code.HEAD_MISSING: f"behind the colon of {{to}} the branch is missing; {SEE}",
    Code.UNKNOWN_NODE: f"the session has no branch and no node {{head}}; {SEE}",
    Code.AMBIGUOUS: "several agents are called {to}; use the address of one of them",
    Code.NOT_TREE_PEER: f"nobody is called {{to}}; {SEE}",
    Code.UNKNOWN_SESSION: f"nobody has the id {{to}}; {SEE}",
    Code.SELF_SEND: "{to} is you; nothing was sent",
    Code.ARCHIVED: "{to} is archived and takes no messages any more; read_conversation still reads it",
    Code.PERMISSION_DENIED: "your rules do not allow a message to {to} ({relation})",
    Code.INFLIGHT_FULL: "too many of your messages to {to} are unread; try again when some were read",
    Code.MAILBOX_FULL: "too many of your messages to {to} are unread or held; try again when some were read",
    Code.DUPLICATE: "the same text of yours waits unread with {to} already",
    Code.APPROVAL_EXPIRED: "nobody gave leave in time",
    Code.SEVERAL_REFUSED: "{refused} of {of} addresses were refused, so nobody gets it",
    Code.ALREADY_BEING_READ: "it is being read already, and stays",
    Code.ALREADY_ENDED: "it was read, or ended, before; there is nothing to take back",
    Code.NOT_RECALLABLE: "only mail can be taken back; a task is ended with task_stop",
    Code.ENGINE_SHUTDOWN: "the process is closing",
}
_UNKNOWN_MESSAGE: Mapping[str, str] = {
    "send_message": "no mail that you were sent has the number {n}; reply_to takes the n of a <mail>",
    "read_message": "nothing that you were sent and have read has the number {n}; it takes the n of such",
    "recall_message": "you have sent no message with the id {id}",
    "message_status": "neither you nor an agent below you has sent a message with the id {id}",
}
_ENDS: Mapping[str, str] = {
    Reason.RECALLED: "was taken back before it was read",
    Reason.EXPIRED: "expired before it was read",
    Reason.OVERFLOW: "was dropped unread, because the mailbox was full",
    Reason.ARCHIVED: "was not read, because the recipient was archived",
    Reason.DELETED: "was not read, because the recipient was deleted",
    Reason.DENIED: "did not go: the person did not give leave",
    Reason.WITHDRAWN: "did not go: leave is asked for no more",
    Reason.STOPPED: "was cleared unread, because the user stopped the recipient",
    Reason.QUARANTINED: "was set aside: five turns that read it died",
}
_STATES: Mapping[RecipientState, str] = {
    RecipientState.RUNNING: "works, and reads it at its next boundary",
    RecipientState.WAKING_FINISHED: "had finished, and is woken for it",
    RecipientState.QUEUED: "reads it as soon as it has a turn",
}
_RUNS_ON = "works, and reads it in its next turn"


def invalid(tool: str, wrong: str) -> ToolResult:
    """A mistake in the arguments of a call."""
    text = f"[{tool} refused] {wrong} ({Code.INVALID_ARGUMENTS})"
    return ToolResult(text=text, is_error=True, refusal=Code.INVALID_ARGUMENTS)


def refused(tool: str, refusal: Refusal, given: Mapping[str, str] | None = None) -> ToolResult:
    """A refusal as a call's result; its code goes to the log with it."""
    return ToolResult(text=refusal_text(tool, refusal, given or {}), is_error=True, refusal=refusal.code)


def refusal_text(tool: str, refusal: Refusal, given: Mapping[str, str]) -> str:
    """The words for a refusal; `given` are the arguments that it may be about."""
    lines = [f"[{tool} refused] {_sentence(tool, refusal, given)}", *_candidates(refusal.candidates)]
    for to, one in refusal.each:
        lines += [f"- {label(to)}: {_sentence(tool, one, {'to': to})}"]
        lines += [f"  {line}" for line in _candidates(one.candidates)]
    return "\n".join(lines)


def _sentence(tool: str, refusal: Refusal, given: Mapping[str, str]) -> str:
    code = refusal.code
    words = _WORDS.get(code, code.replace("_", " "))
    if code is Code.UNKNOWN_MESSAGE:
        words = _UNKNOWN_MESSAGE.get(tool, words)
    known = {**_BLANK, **given, **refusal.facts}
    return f"{words.format_map({key: label(str(value)) for key, value in known.items()})} ({code})"


_BLANK = {
    "to": "it", "head": "", "relation": "", "spent": "", "limit": "", "refused": "", "of": "", "n": "",
    "id": "",
}  # fmt: skip


def _candidates(candidates: tuple[Candidate, ...]) -> list[str]:
    """One line for each: how it is called, what it does, how it stands, and its id."""
    lines = [
        f"{label(c.handle or '(no handle)')} — {label(c.description) or '-'} — {c.status} ({c.session_id})"
        for c in candidates
    ]
    more = len(lines) - CANDIDATES_SHOWN
    return lines[:CANDIDATES_SHOWN] + ([f"(and {more} more)"] if more > 0 else [])


def sent_text(to: str, outcome: Receipt | Refusal) -> str:
    """The outcome of `send_message`: durably accepted or held, for each recipient, or refused."""
    if isinstance(outcome, Refusal):
        return refusal_text("send_message", outcome, {"to": to})
    receipts = (outcome, *outcome.others)
    what = "held" if all(one.held for one in receipts) else "accepted"
    head = f"[message {what}] id={outcome.message_id}"
    return "\n".join([head, *(_receipt_line(one) for one in receipts)])


def _receipt_line(receipt: Receipt) -> str:
    facts = f"mode={receipt.mode} recipient_state={receipt.recipient_state}"
    if receipt.held:
        return f"- {receipt.address}: {facts}; {_HELD_FOR.get(receipt.held_for, HELD)}" + (
            f"; {STOPPED}" if receipt.stopped else ""
        )
    return f"- {receipt.address}: {facts} number={receipt.number}; {_reads(receipt)}"


def _reads(receipt: Receipt) -> str:
    if receipt.stopped:
        return f"{STOPPED}, and reads it when it may go on"
    if receipt.recipient_state is RecipientState.RUNNING and receipt.mode == "queue":
        return _RUNS_ON
    return _STATES[receipt.recipient_state]


def recalled_text(done: Recalled) -> str:
    """The outcome of `recall_message`, for each recipient."""
    is_whole = all(place.code is None for place in done.places)
    head = f"[message {'recalled' if is_whole else 'recalled in part'}] id={done.message_id}"
    return "\n".join([head, *(_place_line(place) for place in done.places)])


def _place_line(place: Place) -> str:
    if place.code is None:
        return f"- {place.address}: taken back, and never read there"
    return f"- {place.address}: {_WORDS.get(place.code, '')} ({place.code})"


def status_text(status: MessageStatus) -> str:
    """What became of a message, for each recipient; then who has read it and who still owes an answer."""
    head = (
        f"[message status] id={status.message_id} kind={status.kind} mode={status.mode} "
        f"written={time_text(status.written_us)} age={age_text(status.age_s)}"
    )
    lines = [head, *(f"- {one.address}: {_standing(one)}" for one in status.standings)]
    if len(status.standings) > 1:
        lines += [_named("read by", [s for s in status.standings if s.state is State.CONSUMED])]
        lines += [_named("no answer yet from", [s for s in status.standings if s.owes])]
    return "\n".join(lines)


def _named(what: str, standings: list[Standing]) -> str:
    return f"{what} {len(standings)}: {', '.join(one.address for one in standings) or 'nobody'}"


def _standing(one: Standing) -> str:
    said = _state(one)
    if one.is_stopped and one.state in (State.HELD, State.ACCEPTED):
        said += f"; {STOPPED}"
    if one.expires_us is not None and one.state in (State.HELD, State.ACCEPTED):
        said += f"; expires {time_text(one.expires_us)}"
    answers = [f"message {a.message_id}" + (f" (your {a.number})" if a.number else "") for a in one.answers]
    if answers:
        return f"{said}, answered by {', '.join(answers)}"
    return f"{said}, no answer yet" if one.owes and one.state is State.CONSUMED else said


def _state(one: Standing) -> str:
    match one.state:
        case State.HELD:
            return _HELD_FOR.get(one.reason, one.state)
        case State.ACCEPTED if one.was_cut:
            return f"number={one.number}, was being read when its turn was cut, and is read again"
        case State.ACCEPTED:
            return f"number={one.number}, pending: not read yet"
        case State.CLAIMED:
            return f"number={one.number}, is being read in turn {one.turn_id}"
        case State.CONSUMED:
            where = f"read in round {one.round} of turn {one.turn_id}" if one.turn_id else "read"
            left = f" {LEFT}" if one.is_reverted else ""
            return f"number={one.number}, {where}{left}"
        case _:
            words = _ENDS.get(one.reason, "ended unread")
            return f"{one.state}({one.reason}): {words}" if one.reason else f"{one.state}: {words}"


def page_text(page: Page) -> str:
    """A part of a message: the runtime's line, then the text, in which every marker is neutral."""
    until = page.offset + len(page.text)
    onward = f"; go on with offset={page.next}" if page.next is not None else "; this is the end"
    who = f" from {label(page.sender)}" if page.sender else ""
    head = f"[message {page.number}{who}: characters {page.offset} to {until} of {page.total}{onward}]"
    return f"{head}\n{neutralise(page.text)}"
