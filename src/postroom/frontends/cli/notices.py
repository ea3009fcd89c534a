"""Notices to the person in a few words. The ends of turns are told by their own events."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.event import EventKind
from postroom.domain.plain import Json

_GOES_ON: Final = "(postroom goal resume AGENT)"
_WORDS: Final[Mapping[str, str]] = {
    "budget_spent": "it has taken the last of its budget: nothing that grew out of that text goes on",
    "chain_spent": "what waits for it wakes it no more: the budget of the chain is spent",
    "context_too_long": "mail that waits for it does not fit into its context",
    "goal_chain_spent": f"its goal is paused: the budget of the chain is spent {_GOES_ON}",
    "goal_completed": "its goal is reached",
    "goal_no_progress": f"its goal is paused: reminders led to nothing {_GOES_ON}",
    "goal_quarantined": f"its goal is paused: the reminder was set aside {_GOES_ON}",
    "profile_missing": "its profile cannot be loaded",
    "quarantined": "a message was set aside (postroom retry MESSAGE)",
}


WHOLE: Final = frozenset(("undelivered", "stopped", "extensions_spent", "take_failed"))
"""Notices that say themselves what there is to say."""


def notice_key(kind: str, facts: Mapping[str, Json]) -> int | None:
    """Which notice is to be read out, if an event is of one."""
    if kind != EventKind.PERSON_NOTIFIED or facts.get("code") not in WHOLE:
        return None
    return int(str(facts["notice"]))


def landed_key(kind: str, facts: Mapping[str, Json]) -> tuple[int, int] | None:
    """Which message of an agent has come to which branch, if an event is of that."""
    if kind != EventKind.MESSAGE_ACCEPTED or facts.get("kind") != "mail":
        return None
    return int(str(facts["message"])), int(str(facts["branch"]))


def landed_words(landed: Json) -> str:
    """A message that a reader of a bus gets; empty for one that went to a mailbox.

    The first mark says that it came while its reader worked, the second one from whom.
    """
    if not isinstance(landed, dict):
        return ""
    reader = f"{landed['reader']}: " if landed["reader"] else ""
    return f"{reader}[message] {landed['text']}"


def notice_words(kind: str, agent: str, facts: Mapping[str, Json]) -> str:
    """What a `person.notified` tells of an agent; empty for other events, and where one of those tells it."""
    words = _WORDS.get(str(facts.get("code") or "")) if kind == EventKind.PERSON_NOTIFIED else None
    return f"{agent}: {words}" if words else ""
