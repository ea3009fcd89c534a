"""What an agent may do: its rules, and which of them decides (CK-30). Deny by default.

An action is a word (`message`, `delegate`, `read`, `write`, `shell`, `mcp`); a resource is what it is done
to (`child`, a profile's name, a path). The pattern of a rule may hold `*`, which stands for any text, also
text with a `/` in it.

Over an agent's own rules lie limits: what the person allowed in the settings, and the overlay of the tree.
A limit narrows and never widens (product.md section 5, Rights and grants).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from postroom.rules.naming import RELATIONS

ANYTHING = "*"
TOOL_ACTIONS = ("read", "write", "shell", "mcp")
ACTIONS = ("message", "delegate", *TOOL_ACTIONS)


class Effect(StrEnum):
    """What a rule says of the things it matches."""

    ALLOW = "allow"
    ASK = "ask"  # the person is asked, or whoever decides in the person's place
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One declared rule; rules keep the order in which they were declared."""

    action: str
    effect: Effect
    pattern: str = ANYTHING


Rules: TypeAlias = Sequence[Rule]
_STRICTNESS = {Effect.ALLOW: 0, Effect.ASK: 1, Effect.DENY: 2}


def best(rules: Iterable[Rule], action: str, resource: str) -> Effect | None:
    """The effect of the most exact matching rule; nothing when none matches.

    More literal characters win, then fewer wildcards, then the later declaration.
    """
    effect: Effect | None = None
    exactest = (-1, 0)
    for rule in rules:
        if rule.action != action or not matches(rule.pattern, resource):
            continue
        exactness = _exactness(rule.pattern)
        if exactness >= exactest:  # equal: the later declaration wins
            effect, exactest = rule.effect, exactness
    return effect


def decide(rules: Iterable[Rule], action: str, resource: str) -> Effect:
    """The effect of an agent's own rules; `deny` when none matches."""
    return best(rules, action, resource) or Effect.DENY


def effective(own: Rules, limits: Iterable[Rules], action: str, resource: str, shipped: Rules = ()) -> Effect:
    """The strictest of the own decision and of every limit that says something.

    What is `shipped` with a surface decides where no rule of its own matches, however exact it is.
    """
    effects = [best(own, action, resource) or decide(shipped, action, resource)]
    effects += [found for rules in limits if (found := best(rules, action, resource)) is not None]
    return max(effects, key=_STRICTNESS.__getitem__)


def with_implied(own: Rules, actions: Iterable[str]) -> tuple[Rule, ...]:
    """The rules, and one that allows everything of each action that they do not speak of.

    Giving an agent a tool means that it may use it; whoever writes a rule for the action has said more, and
    then only what is written holds.
    """
    spoken_of = {rule.action for rule in own}
    implied = (action for action in dict.fromkeys(actions) if action not in spoken_of)
    return (*(Rule(action=action, effect=Effect.ALLOW) for action in implied), *own)


OPEN = (Rule(action="message", effect=Effect.ALLOW), Rule(action="delegate", effect=Effect.ALLOW))
"""What holds for agents among themselves where no rule says otherwise, on a surface that is open."""


def strictness(effect: Effect | None) -> int:
    """How much an effect forbids; saying nothing forbids nothing."""
    return 0 if effect is None else _STRICTNESS[effect]


def visible(own: Rules, limits: Iterable[Rules], action: str) -> bool:
    """Whether a tool of this action is shown at all: some rule allows it or would ask, and no limit denies
    everything of the kind.
    """
    shown = any(rule.action == action and rule.effect is not Effect.DENY for rule in own)
    return shown and not any(_shuts(rules, action) for rules in limits)


def _shuts(limit: Rules, action: str) -> bool:
    """A limit that denies whatever it has no exacter rule for, and has none that lets anything through."""
    opens = any(rule.action == action and rule.effect is not Effect.DENY for rule in limit)
    return not opens and best(limit, action, ANYTHING) is Effect.DENY


NO_RULES = "[]"
"""An overlay as it is stored before the person has laid any rule over a tree."""


@lru_cache(maxsize=256)
def read_overlay(stored: str) -> tuple[Rule, ...]:
    """The person's rules for one tree as they are stored: a JSON list of [action, pattern, effect]."""
    rows: list[tuple[str, str, str]] = json.loads(stored)
    return tuple(Rule(action=a, pattern=p, effect=Effect(e)) for a, p, e in rows)


def write_overlay(rules: Rules) -> str:
    """The inverse of `read_overlay`."""
    return json.dumps([[rule.action, rule.pattern, str(rule.effect)] for rule in rules])


def flaw(action: str, pattern: str) -> str:
    """Why a rule can never hold for anything; empty for one that can. Text from anywhere is shown safely."""
    if not pattern:
        return f"an empty pattern covers nothing; `{ANYTHING}` covers everything"
    if action == "message" and pattern not in RELATIONS:
        return f"`{repr(pattern[:64])[1:-1]}` is no relation"
    return ""


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
