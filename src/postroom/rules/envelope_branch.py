"""How `branch` shows what others wrote: a line in brackets, the runtime's words, an empty line, the text.

The text goes on to the end of the item. It can hold no line like the first one (`rules.markers`), and the
runtime's lines hold no empty one, so there is one reading (docs/reference/envelopes.md).
"""

from postroom.domain.node import MailFacts
from postroom.rules.markers import cut, label, neutralise, quoted
from postroom.rules.text import is_blank

REPLY_CALL = 'Use send_message(to="{sender}") to reply.'
OPTIONAL = "Replying is optional: {what}."
ANSWERED = "what this turn says last goes back to the sender by itself"
UNANSWERED = "nobody waits for an answer"
TRACKED = "This is a tracked task: what this turn says last is its result, and goes back by itself."
IN_OWN_WORDS = "Answer the user in your own words."
_ENDS = {
    "succeeded": "{who} has answered.",
    "empty": "{who} has ended without any text.",
    "round_cap": "{who} was ended by its cap on rounds.",
}
"""Ends of a turn that was finished (OP-74). Without an answer, or cut by the cap, it is marked all the same:
nobody should take it for one (O-40)."""
_FAILURES = {
    "failed": "failed",
    "cancelled": "was cancelled",
    "interrupted": "was interrupted by the end of its process",
    "target_stopped": "was stopped by the person and waits until it may go on",
}


def message(body: str, facts: MailFacts) -> str:
    """What an agent wrote; it need not be answered."""
    optional = OPTIONAL.format(what=ANSWERED if facts.owes else UNANSWERED)
    call = f"{REPLY_CALL.format(sender=facts.sender)} " if facts.hint else ""
    return _whole(f"[message from {facts.sender}]\n{call}{optional}", body, facts)


def task(body: str, facts: MailFacts) -> str:
    """A task for an agent that exists."""
    return _whole(f"[task from {facts.sender}]\n{TRACKED}", body, facts)


def result(body: str, facts: MailFacts) -> str:
    """What came of a task, for the one who gave it."""
    head = f"[result of task {facts.task} from {facts.sender}: {facts.outcome}]"
    return _whole(f"{head}\n{end_line(facts)}", body, facts)


def reply(body: str, facts: MailFacts) -> str:
    """What an agent said to a message, for the one who wrote it."""
    head = f"[reply to message {facts.task} from {facts.sender}: {facts.outcome}]"
    return _whole(f"{head}\n{end_line(facts)}", body, facts)


def end_line(facts: MailFacts) -> str:
    """How it ended, on one line: a failure with its mark, its agent and the reason (OP-14)."""
    who = label(facts.name) or facts.sender
    if (end := _ENDS.get(facts.outcome)) is None:
        reason = f": {label(facts.code)}" if facts.code else ""
        return f"ERROR: {who} {_FAILURES.get(facts.outcome, facts.outcome)}{reason}."
    description = label(facts.description)
    what = f" ({description})" if description not in ("", label(facts.name)) else ""
    said = end.format(who=f"{who}{what}")
    if facts.outcome != "succeeded":
        return f"ERROR: {said}"
    return f"{said} {IN_OWN_WORDS}" if facts.attached else said


def shown(body: str, facts: MailFacts) -> str:
    """A text, or its head and tail with the number of characters between them; nothing of a blank one."""
    return "" if is_blank(body) else cut(neutralise(body), facts.limit_chars)


def rest_line(body: str, facts: MailFacts) -> str:
    """Where the whole of a text is that is not shown whole; empty for one that is."""
    return rest_at(
        body, facts, f'can be read by read_conversation(session_id="{facts.letter or facts.task}")'
    )


def rest_at(body: str, facts: MailFacts, otherwise: str) -> str:
    """The same, in the words `otherwise` where it is in no file."""
    if len(neutralise(body)) <= facts.limit_chars or is_blank(body):
        return ""
    place = f'is in "{quoted(facts.where)}"' if facts.where else otherwise
    return f"Only the beginning and the end are shown; the whole, {len(body)} characters, {place}."


def _whole(head: str, body: str, facts: MailFacts) -> str:
    lines = [head, rest] if (rest := rest_line(body, facts)) else [head]
    text = shown(body, facts)
    return "\n".join([*lines, "", text] if text else lines)
