"""What an agent on `roster` reads of its own calls.

A receipt names who would read the message at this moment and promises nothing. A refusal names everybody
who can be written to, because a model that has to guess an address guesses wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.rules.envelope import outcome_text
from postroom.rules.markers import label, neutralise
from postroom.rules.selectors import EVERYONE
from postroom.service.bus import Roster
from postroom.service.tasks import Fetched
from postroom.tools.base import ToolResult

HEDGE = "Whichever of them takes another step reads it before that; nobody else does."
NOBODY = "nobody yet"
_WORDS: Mapping[Code, str] = {
    Code.DISABLED: "messaging is switched off",
    Code.NO_TURN: "no turn is under way, so there is no bus to speak on",
    Code.NO_ADDRESS: "this run has no address on the bus of the turn, so it cannot speak there",
    Code.INVALID_BODY: "the text is blank, has broken characters or is too long",
    Code.CHAIN_SPENT: "the budget of this turn is spent; finish here with what you have",
    Code.MAILBOX_LIMIT: "the bus can hold no more",
    Code.IDEMPOTENCY_CONFLICT: "this call has sent something else before",
    Code.PERMISSION_DENIED: "your rules do not allow it",
    Code.DELEGATION_TOO_DEEP: "agents may not be nested any deeper here; do the work yourself",
    Code.DELEGATION_FULL: "too many agents wait already; try again later",
    Code.UNKNOWN_PROFILE: "the team has no such agent any more",
}


def sent_text(to: str, outcome: Receipt | Refusal) -> str:
    """The outcome of `send_message`."""
    if isinstance(outcome, Receipt):
        return _receipt(to, outcome.matches)
    if outcome.code is Code.UNKNOWN_SELECTOR:
        names = [one.handle or "" for one in outcome.candidates]
        what = f'nobody here is called "{label(to)}". You can write to: {_addressable(names)}'
    else:
        what = _WORDS.get(outcome.code, outcome.code)
    return f"send_message:{outcome.code}: {what}"


def _receipt(to: str, matches: Sequence[str]) -> str:
    if not matches:
        return f"Accepted for {label(to)}: {NOBODY}. Whoever begins to read later finds it."
    return f"Accepted for {', '.join(map(label, matches))}. {HEDGE}"


def _addressable(names: Sequence[str]) -> str:
    return f"{', '.join(map(label, names)) or NOBODY}, or {EVERYONE}."


def roster_text(found: Roster | Refusal) -> ToolResult:
    """The outcome of `list_agents`: a line for each address, in the order in which they came."""
    if isinstance(found, Refusal):
        text = f"list_agents:{found.code}: {_WORDS.get(found.code, found.code)}"
        return ToolResult(text=text, is_error=True, refusal=found.code)
    lines = [f"- {label(one.address)}{' (you)' if one.is_own else ''}" for one in found.lines]
    return ToolResult(text="\n".join([*lines, f"- {EVERYONE}: all of these at once, you among them."]))


def ended_text(profile: str, fetched: Fetched) -> str:
    """What came of an agent: all of its last text; a failure says its cause first."""
    text = neutralise(fetched.text)
    if fetched.facts.outcome == "succeeded":
        return text
    facts = fetched.facts
    cause = "" if facts.code == facts.outcome else facts.code
    line = outcome_text("", replace(facts, sender=label(profile), description="", code=cause))
    return f"{line}\n{text}" if text else line


def refused_spawn(tool: str, refusal: Refusal) -> ToolResult:
    """A refusal that the service has put into the log already, as the call's result."""
    text = f"{tool}:{refusal.code}: {_WORDS.get(refusal.code, refusal.code)}"
    return ToolResult(text=text, is_error=True)
