"""Which rule decides: more literal characters, fewer wildcards, the later one; else deny (CK-30)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.permissions import Effect, Rule, decide, matches, visible, with_implied

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY


def rules(*declared: tuple[str, Effect]) -> tuple[Rule, ...]:
    return tuple(Rule(action="message", pattern=pattern, effect=effect) for pattern, effect in declared)


@pytest.mark.parametrize(
    ("declared", "resource", "effect"),
    [
        ((), "child", DENY),
        ((("child", ALLOW),), "parent", DENY),
        ((("child", ALLOW), ("*", DENY)), "child", ALLOW),
        ((("*", DENY), ("child", ALLOW)), "child", ALLOW),
        ((("chil*", DENY), ("ch*d", ALLOW)), "child", DENY),
        ((("ch*l*", DENY), ("chi*", ALLOW)), "child", ALLOW),
        ((("c*", ALLOW), ("*d", DENY)), "child", DENY),
        ((("*d", DENY), ("c*", ALLOW)), "child", ALLOW),
        ((("**", ALLOW), ("*", DENY)), "child", DENY),
        ((("*", ASK),), "child", ASK),
        ((("src/*", ALLOW),), "src/a/b.py", ALLOW),
        ((("src/*.py", ALLOW),), "src/a/b.txt", DENY),
        ((("a*a", ALLOW),), "a", DENY),
        ((("", ALLOW),), "", ALLOW),
    ],
)
def test_the_most_exact_rule_decides(
    declared: tuple[tuple[str, Effect], ...], resource: str, effect: Effect
) -> None:
    """CK-30."""
    assert decide(rules(*declared), "message", resource) is effect


def test_a_rule_speaks_of_its_own_action_only() -> None:
    declared = (Rule(action="delegate", effect=ALLOW),)

    assert decide(declared, "message", "child") is DENY
    assert not visible(declared, (), "message")


def test_a_bare_effect_means_everything() -> None:
    assert decide((Rule(action="message", effect=ALLOW),), "message", "any/thing") is ALLOW


@pytest.mark.parametrize(
    ("declared", "seen"),
    [
        ((), False),
        ((("*", DENY),), False),
        ((("*", DENY), ("child", ALLOW)), True),
        ((("parent", ASK),), True),
    ],
)
def test_a_tool_is_visible_once_a_rule_allows_or_asks(
    declared: tuple[tuple[str, Effect], ...], seen: bool
) -> None:
    assert visible(rules(*declared), (), "message") is seen


texts = st.text(alphabet="ab/*\n", max_size=8)


@given(pattern=texts, resource=texts)
def test_a_pattern_matches_what_the_regular_expression_for_it_matches(pattern: str, resource: str) -> None:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))

    assert matches(pattern, resource) == bool(re.fullmatch(expression, resource, re.DOTALL))


@given(
    declared=st.lists(st.tuples(texts, st.sampled_from(Effect)), max_size=6),
    resource=st.text(alphabet="ab/", max_size=6),
)
def test_precedence_is_the_maximum_over_the_matching_rules(
    declared: list[tuple[str, Effect]], resource: str
) -> None:
    """CK-30."""
    ranked = [
        (len(pattern.replace("*", "")), -pattern.count("*"), position, effect)
        for position, (pattern, effect) in enumerate(declared)
        if matches(pattern, resource)
    ]
    expected = max(ranked)[3] if ranked else DENY

    assert decide(rules(*declared), "message", resource) is expected


def test_many_wildcards_cost_no_more_than_the_text_is_long() -> None:
    assert not matches("*a" * 2_000 + "*b", "a" * 20_000)


def test_a_tool_implies_a_rule_only_where_nothing_is_said_of_its_action() -> None:
    own = (Rule(action="shell", pattern="git *", effect=ALLOW), Rule(action="message", effect=ASK))

    rights = with_implied(own, ("read", "shell", "read"))

    assert rights == (Rule(action="read", effect=ALLOW), *own)
    assert decide(rights, "shell", "rm -r .") is DENY
    assert decide(rights, "read", "any/thing") is ALLOW
    assert decide(rights, "write", "any/thing") is DENY
