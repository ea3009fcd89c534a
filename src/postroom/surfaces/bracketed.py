"""Words that surfaces share which speak in brackets: a tag, what the agent can act on, then a stable code.

The tags are those of systems.md 1.6. A refusal has its code in parentheses behind the words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from postroom.domain.receipt import Candidate, Code, Refusal
from postroom.rules.envelope_branch import end_line, rest_line, shown
from postroom.rules.markers import label
from postroom.service.tasks import Fetched
from postroom.tools.base import ToolResult

RefusalResult: TypeAlias = Callable[[str, Refusal, Mapping[str, str]], ToolResult]
"""A surface's words for a refusal of one of its tools."""
CANDIDATES_SHOWN = 100
"""Agents that an ambiguous address is answered with."""
NO_TEXT = "(it ended without any text)"
REFUSED = frozenset(
    (
        Code.SELF_SEND, Code.MESSAGES_SPENT, Code.GENERATIONS_SPENT, Code.FAN_OUT_SPENT, Code.CHAIN_SPENT,
        Code.PERMISSION_DENIED, Code.MAILBOX_LIMIT, Code.MAILBOX_FULL, Code.INBOX_FULL, Code.INFLIGHT_FULL,
        Code.DISABLED, Code.DELEGATION_TOO_DEEP, Code.DELEGATION_FULL, Code.MAX_HOPS_EXCEEDED,
        Code.IDEMPOTENCY_CONFLICT, Code.PRICE_UNKNOWN, Code.WOULD_DEADLOCK, Code.TARGET_STOPPED,
    )
)  # fmt: skip
"""What is no mistake in the call: the same call may be right at another time, or from another agent."""

MAIL_WORDS: Final[Mapping[Code, str]] = {
    Code.DISABLED: "messaging is switched off",
    Code.SHARED_ANCESTOR: "several branches go on from {to}; use the address of one of them",
    Code.MESSAGES_SPENT: "{spent} of {limit} messages of this chain are used up; finish here by yourself",
    Code.CHAIN_SPENT: "the budget of this chain is spent; finish here with what you have",
    Code.PRICE_UNKNOWN: "the chain has a budget in money, and nobody knows what this agent's model costs",
    Code.INBOX_FULL: "{to} has too many unread messages; try again later",
    Code.MAX_HOPS_EXCEEDED: "this chain of messages has gone through too many hops",
    Code.MAILBOX_LIMIT: "the mailbox of {to} can hold no more",
    Code.IDEMPOTENCY_CONFLICT: "this call has sent something else before",
}
"""For who writes to another agent, whatever it writes."""
WORK_WORDS: Final[Mapping[Code, str]] = {
    Code.INVALID_BODY: "the text is blank, has broken characters or is longer than the limit",
    Code.GENERATIONS_SPENT: "{spent} of {limit} generations of agents are used up; do the work yourself, "
    "or give it to an agent that exists with agent(to=...)",
    Code.PERMISSION_DENIED: "your rules do not allow it",
    Code.UNKNOWN_PROFILE: "there is no agent profile {profile}",
    Code.DELEGATION_TOO_DEEP: "agents may not be nested any deeper here; do the work yourself",
    Code.DELEGATION_FULL: "too many turns wait already; try again later",
    Code.INFLIGHT_FULL: "too many of your messages to {to} are unread; try again later",
    Code.TARGET_STOPPED: "the person stopped {to}, and it waits until it may go on",
    Code.UNKNOWN_TASK: "there is no task {task_id}; list_tasks shows yours",
    Code.ALREADY_ARCHIVED: "{to} was archived before; nothing was changed",
}
"""For who hands out work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A surface's words for its refusals, by code; `{to}` and the like stand for the facts of one."""

    words: Mapping[Code, str]

    def text(self, tool: str, refusal: Refusal, given: Mapping[str, str]) -> str:
        """The words for a refusal; `given` are the arguments that it may be about."""
        words = self.words.get(refusal.code, refusal.code.replace("_", " "))
        return sentence(tool, words, refusal, given)

    def result(self, tool: str, refusal: Refusal, given: Mapping[str, str]) -> ToolResult:
        """A refusal that the service has put into the log already, as the call's result."""
        return ToolResult(text=self.text(tool, refusal, given), is_error=True)


def sentence(tool: str, words: str, refusal: Refusal, given: Mapping[str, str], *, rest: str = "") -> str:
    """One refusal with its facts in its words, and whom its address might have meant."""
    nothing = dict.fromkeys(("head", "task_id", "profile", "spent", "limit", "message"), "")
    known = {"to": "it", **nothing, **given, **refusal.facts}
    facts = {key: label(str(value)) for key, value in known.items()}
    tag = f"[{tool} {'refused' if refusal.code in REFUSED else 'error'}]"
    text = f"{tag} {words.format_map(facts)}{rest} ({refusal.code})"
    return "\n".join([text, *_candidates(refusal.candidates)])


def invalid(tool: str, wrong: str) -> ToolResult:
    """A mistake in the arguments of a call."""
    text = f"[{tool} error] {wrong} ({Code.INVALID_ARGUMENTS})"
    return ToolResult(text=text, is_error=True, refusal=Code.INVALID_ARGUMENTS)


def _candidates(candidates: tuple[Candidate, ...]) -> list[str]:
    """One line for each: its name, and the address that names it alone."""
    lines = [f"{f'«{label(c.handle)}»' if c.handle else '(unnamed)'} → {c.session_id}" for c in candidates]
    more = len(lines) - CANDIDATES_SHOWN
    return lines[:CANDIDATES_SHOWN] + ([f"(and {more} more)"] if more > 0 else [])


def told(fetched: Fetched) -> str:
    """How it ended, unless well; where the whole is, if it is cut; then the text."""
    facts, text = fetched.facts, shown(fetched.text, fetched.facts)
    lines = [] if facts.outcome in ("succeeded", "empty") else [end_line(facts)]
    if rest := rest_line(fetched.text, facts):
        lines.append(rest)
    if text:
        lines += ["", text] if lines else [text]
    return "\n".join(lines) or NO_TEXT
