"""What an agent may do: its rules, and which of them decides (CK-30). Deny by default.

An action is a word (`message`, `delegate`); a resource is what it is done to (`child`, a profile's
name). The pattern of a rule may hold `*`, which stands for any text, also text with a `/` in it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

ANYTHING = "*"


class Effect(StrEnum):
    """What a rule says of the things it matches."""

    ALLOW = "allow"
    # A person is asked each time. Profiles cannot say it until approvals exist.
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One declared rule; rules keep the order in which they were declared."""

    action: str
    effect: Effect
    pattern: str = ANYTHING


def decide(rules: Iterable[Rule], action: str, resource: str) -> Effect:
    """The effect of the most exact matching rule; `deny` when none matches.

    More literal characters win, then fewer wildcards, then the later declaration.
    """
    effect, best = Effect.DENY, (-1, 0)
    for rule in rules:
        if rule.action != action or not matches(rule.pattern, resource):
            continue
        exactness = _exactness(rule.pattern)
        if exactness >= best:  # equal: the later declaration wins
            effect, best = rule.effect, exactness
    return effect


def visible(rules: Iterable[Rule], action: str) -> bool:
    """Whether a tool of this action is shown at all: some rule allows it or would ask."""
    return any(rule.action == action and rule.effect is not Effect.DENY for rule in rules)


def matches(pattern: str, resource: str) -> bool:
    """Whether the pattern covers the whole resource.

    Each part is taken at its first place, so the time is linear; a regular expression with
    several stars would not be.
    """
    head, *rest = pattern.split(ANYTHING)
    if not rest:
        return resource == head
    *middle, tail = rest
    if len(resource) < len(head) + len(tail):
        return False
    if not (resource.startswith(head) and resource.endswith(tail)):
        return False
    return _holds_in_order(resource[len(head) : len(resource) - len(tail)], middle)


def _holds_in_order(text: str, parts: list[str]) -> bool:
    start = 0
    for part in parts:
        found = text.find(part, start)
        if found < 0:
            return False
        start = found + len(part)
    return True


def _exactness(pattern: str) -> tuple[int, int]:
    wildcards = pattern.count(ANYTHING)
    return len(pattern) - wildcards, -wildcards
