"""Rights of an agent within those of its makers."""

import json

import pytest

from postroom.rules.permissions import NO_RULES, OPEN, Effect, Rule, read_overlay
from postroom.service.facts import AgentFacts, ToolRight
from postroom.service.limits import NO_LIMITS, Layer, Who, facts_of, stored

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY


def rule(action: str, effect: Effect, pattern: str = "*") -> Rule:
    """One rule."""
    return Rule(action=action, effect=effect, pattern=pattern)


def facts(name: str, *own: Rule) -> AgentFacts:
    """A profile with these rules, and two tools that need a right."""
    shows = (ToolRight("shell", "shell"), ToolRight("send_message", "message", ("parent", "*")))
    return AgentFacts(
        profile=name, own=own, shows=shows, rounds_max=None, window_tokens=100, reserve_tokens=1
    )


PARENT_ONLY = (rule("message", ALLOW, "parent"),)
ALL = (rule("message", ALLOW), rule("shell", ALLOW))


def who(limits: str) -> Who:
    """The child of a team `t`, in a session of `branch`."""
    return Who(team="t", profile="child", surface="branch", limits=limits)


@pytest.mark.parametrize(
    ("own", "maker", "action", "resource", "effect"),
    [
        (ALL, PARENT_ONLY, "message", "parent", ALLOW),
        (ALL, PARENT_ONLY, "message", "sibling", DENY),
        (ALL, PARENT_ONLY, "shell", "ls", DENY),
        (PARENT_ONLY, ALL, "message", "sibling", DENY),
        (ALL, (rule("message", ASK),), "message", "parent", ASK),
        ((rule("message", ASK),), ALL, "message", "parent", ASK),
        ((rule("message", DENY),), ALL, "message", "parent", DENY),
        (ALL, (*OPEN, rule("message", DENY, "sibling")), "message", "sibling", DENY),
        (ALL, (*OPEN, rule("message", DENY, "sibling")), "message", "child", ALLOW),
    ],
)
def test_the_stricter_of_the_own_right_and_that_of_the_maker_counts(
    own: tuple[Rule, ...], maker: tuple[Rule, ...], action: str, resource: str, effect: Effect
) -> None:
    """OP-18, O-21: an allow list keeps its allows, and allows nothing else."""
    team = {"child": facts("child", *own), "maker": facts("maker", *maker)}
    limits = stored([Layer("t", "maker", maker)])

    found = facts_of(lambda _, name: team.get(name), who(limits))

    assert found is not None
    assert found.effect(read_overlay(NO_RULES), action, resource) is effect


def test_what_no_maker_may_use_is_not_shown() -> None:
    limits = stored([Layer("t", "gone", PARENT_ONLY)])

    found = facts_of(lambda _, name: facts("child", *ALL) if name == "child" else None, who(limits))

    assert found is not None
    assert json.loads(found.seen(()).tools) == ["send_message"]


def test_rules_that_became_stricter_count_beside_those_that_were_kept() -> None:
    team = {"child": facts("child", *ALL), "maker": facts("maker", *PARENT_ONLY)}
    limits = stored([Layer("t", "maker", ALL)])

    found = facts_of(lambda _, name: team.get(name), who(limits))

    assert found is not None
    assert found.effect((), "shell", "ls") is DENY


def test_an_agent_of_the_person_is_limited_by_nobody() -> None:
    own = facts("child", *ALL)

    assert facts_of(lambda *_: own, who(NO_LIMITS)) is own
    assert facts_of(lambda *_: None, who(NO_LIMITS)) is None
