"""How mail is shown to an agent whose address is the id of its session: who wrote it, then the text.

The name is what people call the sender, and may be anything; the id is what it is written to by.
"""

from collections.abc import Mapping
from typing import Final

from postroom.domain.node import MailFacts
from postroom.rules.envelope_branch import rest_at, shown
from postroom.rules.markers import cut, label, neutralise, quoted

HINT: Final = '[use session_send(target_id="{sender}", …) to reply]'
SOURCE_KIND: Final = "session-message"
FORM: Final = "relay"
"""It was written elsewhere and handed on as it is (systems.md 4.2)."""
ASK_FOR_IT: Final = 'is with its writer; session_send(target_id="{sender}", …) asks for the rest'
_ENDS: Final = {
    "empty": "ended without any text",
    "round_cap": "was ended by its cap on rounds",
    "failed": "failed",
    "cancelled": "was cancelled",
    "target_stopped": "was stopped by the person; its task waits until the person lets it go on",
    "interrupted": "was interrupted by the end of its process",
}


def message(body: str, facts: MailFacts) -> str:
    """What another session wrote. One without an address of its own can be named, and not be answered."""
    session = f' session="{facts.sender}"' if facts.sender else ""
    hint = f"{HINT.format(sender=facts.sender)}\n" if facts.hint and facts.sender else ""
    text = cut(neutralise(body), facts.limit_chars)
    return f'<session_message from="{quoted(facts.name)}"{session}>\n{text}\n{hint}</session_message>'


def result(body: str, facts: MailFacts) -> str:
    """What came of a task that was handed out in the background: how it ended, then the whole text."""
    head = f'<subagent_notification from="{facts.sender}" status="{facts.outcome}" task="{facts.task}">'
    lines = [head, end_line(facts)]
    if rest := rest_line(body, facts):
        lines.append(rest)
    if text := shown(body, facts):
        lines += ["", text]
    return "\n".join([*lines, "</subagent_notification>"])


def end_line(facts: MailFacts) -> str:
    """How a task ended, on one line. What did not succeed is marked: nobody should take it for an answer."""
    description = label(facts.description)
    who = f"{facts.sender} ({description})" if description else facts.sender
    if facts.outcome == "succeeded":
        return f"{who} succeeded."
    cause = f": {label(facts.code)}" if facts.code else ""
    return f"ERROR: {who} {_ENDS.get(facts.outcome, facts.outcome)}{cause}."


def rest_line(body: str, facts: MailFacts) -> str:
    """Where the whole of a text is that is not shown whole; empty for one that is."""
    return rest_at(body, facts, ASK_FOR_IT.format(sender=facts.sender))


def source_of(facts: MailFacts, message_id: str | None) -> Mapping[str, str]:
    """Where a text came from, for records; empty for what no session wrote (systems.md 4.2)."""
    if (facts.style, facts.kind) != ("session", "mail"):
        return {}
    return {
        "kind": SOURCE_KIND, "form": FORM, "message_id": message_id or "", "sender_id": facts.sender,
        "sender_name": facts.name,
    }  # fmt: skip
