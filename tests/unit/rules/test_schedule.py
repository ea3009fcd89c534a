"""What a boundary takes and in which order (G4; product.md sections 2 and 3)."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.message import Delivery, Kind, Mode
from postroom.rules.schedule import deepest, joining, opener, opening
from tests.unit.rules.deliveries import QUEUE, STEER, delivery, notice, prompt, queued, result, steer, user

Waiting = tuple[Delivery, ...]


def places(taken: tuple[Delivery, ...]) -> list[int]:
    return [d.seq for d in taken]


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        pytest.param((), [], id="nothing waits"),
        pytest.param((queued(1),), [1], id="one queued mail"),
        pytest.param((steer(1),), [1], id="one steer"),
        pytest.param((result(1),), [1], id="a result"),
        pytest.param((steer(1), queued(2), steer(3)), [1, 2, 3], id="both modes in order of acceptance"),
        pytest.param((queued(1), queued(2), queued(3)), [1, 2, 3], id="one chain opens together"),
        pytest.param((result(1), result(2), steer(3)), [1, 2, 3], id="results come together"),
        pytest.param((queued(1), queued(2, chain=2), queued(3)), [1], id="another chain ends the run"),
        pytest.param((steer(1), steer(2, chain=2), steer(3)), [1], id="so does a steer of another chain"),
        pytest.param((queued(1, chain=2), queued(2)), [1], id="the oldest decides the chain"),
    ],
)
def test_mail_opens_a_turn_with_the_longest_run_of_its_chain(waiting: Waiting, taken: list[int]) -> None:
    """G4, O-08, O-14."""
    assert places(opening(waiting)) == taken


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        pytest.param((steer(1), queued(2), user(3)), [3, 1, 2], id="before mail that was there first"),
        pytest.param(
            (queued(1, chain=2), user(2), steer(3, chain=3)), [2, 1, 3], id="with mail of any chain"
        ),
        pytest.param((user(1), user(2)), [1], id="one prompt, one turn"),
        pytest.param((user(1), queued(2), user(3), steer(4)), [1, 2, 4], id="mail behind a later prompt too"),
        pytest.param((user(1), user(2, STEER)), [1, 2], id="a text that steers joins a prompt"),
        pytest.param((user(1, STEER), user(2)), [1], id="a prompt never joins a text that steers"),
        pytest.param((result(1), user(2, STEER)), [2, 1], id="a text that steers is first as well"),
    ],
)
def test_the_persons_text_is_read_first_and_takes_all_mail_along(waiting: Waiting, taken: list[int]) -> None:
    """G4; O-22: each text of the person starts one turn."""
    assert places(opening(waiting)) == taken


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        pytest.param((prompt(1), steer(2), queued(3)), [1, 2], id="queued mail waits for the next turn"),
        pytest.param((prompt(1), prompt(2)), [1], id="never two tasks"),
        pytest.param((prompt(1), steer(2, chain=2), notice(3)), [1, 2, 3], id="what may join, joins"),
        pytest.param((prompt(1), user(2)), [2], id="the person's text goes first, the task waits"),
        pytest.param((queued(1), prompt(2), queued(3)), [1], id="a task ends a run"),
        pytest.param((queued(1), prompt(2, node=9)), [1], id="also one that was read before"),
        pytest.param((queued(1), prompt(2, parked=True)), [1], id="also one that is parked"),
        pytest.param((user(1), prompt(2), steer(3)), [1, 3], id="not even user text takes a task along"),
    ],
)
def test_a_task_runs_in_a_turn_of_its_own(waiting: Waiting, taken: list[int]) -> None:
    """Product.md section 3, Tasks and waits, 1."""
    assert places(opening(waiting)) == taken


@pytest.mark.parametrize(
    "let_go",
    [
        steer(1, chain=9, parked=True),
        queued(1, chain=9, parked=True),
        queued(1, chain=9, parked=True, node=5),
    ],
)
@pytest.mark.parametrize("first", [steer(2), queued(2), user(2), prompt(2), result(2)])
def test_parked_mail_is_read_with_whatever_opens_the_next_turn(let_go: Delivery, first: Delivery) -> None:
    """O-02: of whatever chain, and it breaks no run."""
    assert sorted(places(opening((let_go, first, steer(3))))) == [1, 2, 3]


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        pytest.param((queued(1), queued(2, chain=2, node=9)), [1, 2], id="with mail of another chain"),
        pytest.param((prompt(1), queued(2, chain=2, node=9)), [1, 2], id="with a task"),
        pytest.param((user(1), user(2, node=9)), [1, 2], id="with the person's text"),
        pytest.param((queued(1, node=9), queued(2, chain=2)), [1], id="and it opens like any other"),
    ],
)
def test_what_is_in_the_context_already_needs_no_turn_of_its_own(waiting: Waiting, taken: list[int]) -> None:
    """Product.md section 3: a released message whose node is on the chain is not appended again."""
    assert places(opening(waiting)) == taken


@pytest.mark.parametrize("first", [user(2), steer(2), prompt(2)])
def test_a_text_of_the_person_whose_turn_failed_is_read_with_the_next(first: Delivery) -> None:
    """O-02: before the text that opens the turn, although a prompt never joins another one."""
    assert places(opening((user(1, parked=True, node=9), first))) == [1, 2]


@pytest.mark.parametrize(
    "waiting",
    [
        (notice(1),),
        (notice(1), notice(2, node=9)),
        (steer(1, parked=True),),
        (user(1, parked=True), queued(2, parked=True), notice(3)),
        (prompt(1, parked=True),),
    ],
)
def test_notices_and_parked_mail_open_nothing(waiting: Waiting) -> None:
    """Product.md section 3: a notice never wakes; parked mail opens no turn by itself (I8)."""
    assert opener(waiting) is None
    assert opening(waiting) == ()


def test_what_opens_nothing_breaks_no_run() -> None:
    waiting = (notice(1), steer(2), notice(3), queued(4, chain=2, parked=True), steer(5), steer(6, chain=2))

    assert places(opening(waiting)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        pytest.param((steer(1), queued(2), steer(3, chain=2)), [1, 3], id="steers pass queued mail"),
        pytest.param((queued(1), result(2)), [2], id="a result is a steer"),
        pytest.param((notice(1), queued(2)), [1], id="a notice"),
        pytest.param((steer(1), user(2, STEER), user(3)), [2, 1], id="the person's text first, a prompt not"),
        pytest.param((queued(1, parked=True), queued(2, node=9), queued(3)), [1, 2], id="what was let go"),
        pytest.param((user(1, parked=True, node=9),), [1], id="a text whose turn failed"),
        pytest.param((prompt(1), prompt(2, node=9), prompt(3, parked=True)), [], id="never a task"),
    ],
)
def test_a_later_boundary_takes_what_may_join(waiting: Waiting, taken: list[int]) -> None:
    """O-09; User text is never behind agent mail (product.md section 5)."""
    assert places(joining(waiting)) == taken


@pytest.mark.parametrize(
    ("paths", "deep"),
    [((), (0, 0)), (((3, 1),), (3, 1)), (((1, 0), (7, 1), (2, 2)), (7, 2)), (((0, 0), (5, 0)), (5, 0))],
)
def test_a_turn_is_as_deep_as_the_deepest_that_it_took(
    paths: tuple[tuple[int, int], ...], deep: tuple[int, int]
) -> None:
    """CK-19: never the minimum, or two chains that meet would reset each other's count."""
    assert deepest([steer(n, path=path) for n, path in enumerate(paths, 1)]) == deep


SORTS = (
    *((kind, mode) for kind in (Kind.MAIL, Kind.USER) for mode in Mode),
    (Kind.PROMPT, QUEUE),
    (Kind.RESULT, STEER),
    (Kind.NOTICE, STEER),
)
fresh = st.lists(st.tuples(st.sampled_from(SORTS), st.integers(1, 3), st.integers(7, 8)), max_size=9).map(
    lambda rows: tuple(
        delivery(seq, kind, mode, chain=chain, sender=sender)
        for seq, ((kind, mode), chain, sender) in enumerate(rows, 1)
    )
)


def _lanes(taken: Waiting) -> dict[tuple[int | None, Kind, Mode], list[int]]:
    """Places by sender, kind and mode: inside one of these no later message passes an earlier one."""
    found: dict[tuple[int | None, Kind, Mode], list[int]] = defaultdict(list)
    for d in taken:
        found[d.sender, d.kind, d.mode].append(d.seq)
    return found


@given(waiting=fresh)
def test_nothing_passes_what_the_same_sender_sent_in_the_same_mode_before(waiting: Waiting) -> None:
    """G4."""
    for taken in (opening(waiting), joining(waiting)):
        for lane, read in _lanes(taken).items():
            assert read == _lanes(waiting)[lane][: len(read)]


@given(waiting=fresh)
def test_one_chain_one_task_and_one_prompt_open_a_turn(waiting: Waiting) -> None:
    first, taken = opener(waiting), opening(waiting)
    by_mail = [d for d in taken if first is not None and first.kind in (Kind.MAIL, Kind.RESULT)]

    assert (first is None) == (taken == ())
    assert first is None or first in taken
    assert len([d for d in taken if d.kind is Kind.PROMPT or (d.kind, d.mode) == (Kind.USER, QUEUE)]) <= 1
    assert len({d.chain for d in by_mail if d.kind is not Kind.NOTICE}) <= 1
    assert places(taken) == places(tuple(sorted(taken, key=lambda d: (d.kind is not Kind.USER, d.seq))))


@given(waiting=fresh)
def test_turn_by_turn_everything_is_read_once(waiting: Waiting) -> None:
    """G2: no mail is left behind for ever, none is taken twice; only notices may wait for a turn."""
    left, read = waiting, list[int]()

    while taken := opening(left):
        left = tuple(d for d in left if d not in taken)
        joined = joining(left)
        left = tuple(d for d in left if d not in joined)
        read += [*places(taken), *places(joined)]

    assert sorted(read + places(left)) == places(waiting)
    assert {d.kind for d in left} <= {Kind.NOTICE}
