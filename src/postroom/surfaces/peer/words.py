"""What an agent on `peer` reads of its own calls: compact JSON, or a refusal with its code (systems.md 4.5).

Whatever may not be reached reads the same, to the byte, as what is not there: the words for it name nothing
of what was asked for and nothing of why (DS-2).
"""

import json
from collections.abc import Mapping
from typing import Final

from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Refusal
from postroom.rules.markers import label
from postroom.tools.base import ToolResult

TIMEOUT_MIN_MS: Final = 10_000
TIMEOUT_MAX_MS: Final = 3_600_000
"""Bounds of a wait (systems.md 4.8)."""
_MASKED: Final = frozenset(
    (
        Code.NOT_FOUND, Code.SELF_SEND, Code.ARCHIVED, Code.UNKNOWN_SESSION, Code.UNKNOWN_REFERENCE,
        Code.NOT_TREE_PEER, Code.PERMISSION_DENIED,
    )
)  # fmt: skip
"""Why somebody cannot be written to or looked at: all of it is one thing here."""
_FULL: Final = frozenset((Code.MAILBOX_FULL, Code.INBOX_FULL, Code.INFLIGHT_FULL, Code.MAILBOX_LIMIT))
"""There is no room, whichever of both policies says so."""
_WORDS: Final[Mapping[Code, str]] = {
    Code.NOT_FOUND: "there is no such session, or none that you may reach",
    Code.INVALID_BODY: "the message is blank or has broken characters",
    Code.MESSAGE_TOO_LARGE: "the message is longer than what one message may be",
    Code.MAILBOX_FULL: "too many messages to this session wait unread; try again later",
    Code.INVALID_TIMEOUT: f"timeout_ms must be from {TIMEOUT_MIN_MS} to {TIMEOUT_MAX_MS}",
    Code.DISABLED: "messaging is switched off",
    Code.CHAIN_SPENT: "the budget of this conversation is spent",
    Code.MESSAGES_SPENT: "the messages of this conversation are used up",
    Code.GENERATIONS_SPENT: "the generations of agents of this conversation are used up",
    Code.FAN_OUT_SPENT: "this turn has made as many agents as it may",
    Code.MAX_HOPS_EXCEEDED: "this chain of messages has gone through too many hops",
    Code.DUPLICATE: "the same text of yours waits there unread",
    Code.IDEMPOTENCY_CONFLICT: "this call has done something else before",
    Code.PRICE_UNKNOWN: "the conversation has a budget in money, and nobody knows what this model costs",
    Code.PERMISSION_DENIED: "your rules do not allow it",
    Code.UNKNOWN_PROFILE: "your own profile is not there any more",
    Code.DELEGATION_TOO_DEEP: "agents may not be nested any deeper here; do the work yourself",
    Code.DELEGATION_FULL: "too many turns wait already; try again later",
}
_PROMPT: Final[Mapping[Code, str]] = {
    Code.INVALID_BODY: "the prompt is blank, has broken characters or is longer than what one may be",
    Code.MESSAGE_TOO_LARGE: "the prompt is longer than what one may be",
}


def compact(value: Json) -> str:
    """JSON without a blank that it does not need."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def refused(tool: str, code: Code, words: str = "") -> ToolResult:
    """A refusal of the call itself: nothing was looked for."""
    text = f"{tool}:{code}: {words or _WORDS[code]}"
    return ToolResult(text=text, is_error=True, refusal=code)


def invalid(tool: str, wrong: str) -> ToolResult:
    """A mistake in the arguments of a call."""
    return refused(tool, Code.INVALID_ARGUMENTS, wrong)


def unreached(tool: str) -> ToolResult:
    """What every session reads like that is not there or may not be looked at."""
    return ToolResult(text=_told(tool, Code.NOT_FOUND), is_error=True)


def send_refusal(tool: str, refusal: Refusal) -> str:
    """Why a message was not accepted."""
    code = refusal.code
    if code in _MASKED:
        code = Code.NOT_FOUND
    elif code in _FULL:
        code = Code.MAILBOX_FULL
    return _told(tool, code)


def spawn_refusal(tool: str, refusal: Refusal) -> ToolResult:
    """Why no agent was made."""
    return ToolResult(text=_told(tool, refusal.code, _PROMPT.get(refusal.code, "")), is_error=True)


def _told(tool: str, code: Code, words: str = "") -> str:
    return f"{tool}:{code}: {words or _WORDS.get(code, label(code.replace('_', ' ')))}"
