"""Every move of a delivery, legal or not, and what each state counts for (product.md section 3)."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.message import Kind, Mode, State
from postroom.rules.lifecycle import LEGAL, QUARANTINE_ATTEMPTS, Counts, change, counts, is_counted, is_legal
from tests.unit.rules.deliveries import QUEUE, STEER, delivery

HELD, ACCEPTED, CLAIMED, CONSUMED, DISCARDED, UNDELIVERED = State
MOVES = {
    (ACCEPTED, CLAIMED): "claim",
    (CLAIMED, CONSUMED): "commit",
    (CLAIMED, ACCEPTED): "release",
    (ACCEPTED, DISCARDED): "discard",
    (HELD, ACCEPTED): "admit",
    (HELD, DISCARDED): "drop",
    (ACCEPTED, UNDELIVERED): "close",
}
NOTHING = Counts(steer=0, queue=0, notice=0, parked=0, cap=0)
EVERYTHING = list(product(Kind, Mode, State, (False, True)))


@pytest.mark.parametrize(("before", "after"), list(product(State, State)))
def test_seven_moves_are_legal_and_every_other_is_not(before: State, after: State) -> None:
    """`claimed` to `discarded` least of all: a stop releases first, so that the log says what was read."""
    assert is_legal(before, after) is ((before, after) in MOVES)


def test_what_has_ended_never_moves_again() -> None:
    assert not [move for move in LEGAL if move[0] in (CONSUMED, DISCARDED, UNDELIVERED)]


@pytest.mark.parametrize(
    ("kind", "mode", "state", "parked", "expected"),
    [
        (Kind.MAIL, STEER, ACCEPTED, False, Counts(1, 0, 0, 0, 1)),
        (Kind.MAIL, QUEUE, ACCEPTED, False, Counts(0, 1, 0, 0, 1)),
        (Kind.MAIL, STEER, ACCEPTED, True, Counts(0, 0, 0, 1, 1)),
        (Kind.MAIL, QUEUE, ACCEPTED, True, Counts(0, 0, 0, 1, 1)),
        (Kind.MAIL, STEER, CLAIMED, False, Counts(0, 0, 0, 0, 1)),
        (Kind.MAIL, QUEUE, CLAIMED, True, Counts(0, 0, 0, 0, 1)),
        (Kind.MAIL, STEER, CONSUMED, False, NOTHING),
        (Kind.MAIL, QUEUE, DISCARDED, True, NOTHING),
        (Kind.USER, QUEUE, ACCEPTED, False, Counts(0, 1, 0, 0, 0)),
        (Kind.USER, STEER, ACCEPTED, False, Counts(1, 0, 0, 0, 0)),
        (Kind.USER, QUEUE, ACCEPTED, True, Counts(0, 0, 0, 1, 0)),
        (Kind.USER, QUEUE, CLAIMED, False, NOTHING),
        (Kind.PROMPT, QUEUE, ACCEPTED, False, Counts(0, 1, 0, 0, 0)),
        (Kind.PROMPT, QUEUE, CLAIMED, False, NOTHING),
        (Kind.RESULT, STEER, ACCEPTED, False, Counts(1, 0, 0, 0, 0)),
        (Kind.RESULT, STEER, CLAIMED, False, NOTHING),
        (Kind.NOTICE, STEER, ACCEPTED, False, Counts(0, 0, 1, 0, 0)),
        (Kind.NOTICE, STEER, ACCEPTED, True, Counts(0, 0, 1, 0, 0)),
        (Kind.NOTICE, STEER, CLAIMED, False, NOTHING),
    ],
)
def test_a_delivery_counts_for_what_it_can_still_do(
    kind: Kind, mode: Mode, state: State, parked: bool, expected: Counts
) -> None:
    """CK-16, CK-17: claimed and released mail holds its place until it is consumed or discarded."""
    assert counts(kind, mode, state, parked=parked) == expected


def test_only_agent_mail_counts_for_cap_and_window() -> None:
    """CK-16."""
    assert [kind for kind in Kind if is_counted(kind)] == [Kind.MAIL]
    assert {
        kind for kind, mode, state, parked in EVERYTHING if counts(kind, mode, state, parked=parked).cap
    } == {Kind.MAIL}


@pytest.mark.parametrize(("kind", "mode", "state", "parked"), EVERYTHING)
def test_a_delivery_is_in_at_most_one_heap_of_the_mailbox(
    kind: Kind, mode: Mode, state: State, parked: bool
) -> None:
    found = counts(kind, mode, state, parked=parked)

    assert found.steer + found.queue + found.notice + found.parked == (1 if state is ACCEPTED else 0)


@pytest.mark.parametrize(("kind", "mode", "state", "parked"), EVERYTHING)
def test_counters_move_by_exactly_the_difference(kind: Kind, mode: Mode, state: State, parked: bool) -> None:
    """I7: also where a move parks or unparks."""
    before = replace(delivery(1, kind, mode, parked=parked), state=state)
    for after, then_parked in product(State, (False, True)):
        moved = change(before, after, parked=then_parked)

        old = counts(kind, mode, state, parked=parked)
        new = counts(kind, mode, after, parked=then_parked)
        assert [a + b for a, b in zip(old, moved, strict=True)] == list(new)


@given(
    kind=st.sampled_from(Kind),
    mode=st.sampled_from(Mode),
    steps=st.lists(st.tuples(st.sampled_from(State), st.booleans()), max_size=12),
)
def test_along_any_life_the_counters_equal_a_recount(
    kind: Kind, mode: Mode, steps: list[tuple[State, bool]]
) -> None:
    """O-32, I7: claimed and released as often as one likes, the place comes back exactly once."""
    now = delivery(1, kind, mode)
    total = counts(kind, mode, ACCEPTED, parked=False)

    for state, parked in steps:
        if is_legal(now.state, state):
            total = Counts(*(a + b for a, b in zip(total, change(now, state, parked=parked), strict=True)))
            now = replace(now, state=state, parked=parked)

    assert total == counts(kind, mode, now.state, parked=now.parked)
    assert total == NOTHING or now.state in (ACCEPTED, CLAIMED)


def test_the_fifth_attempt_is_the_last() -> None:
    """Product.md section 3: three deaths and then success is no poison (O-12)."""
    assert QUARANTINE_ATTEMPTS == 5
