"""Where a conversation is cut: the last two turns stay, and never a call without its results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.node import Role
from postroom.rules.compaction import Cut, Need, Piece, Why, choose, is_due, summary_chars_max

ROOM = 10_000


def said(turn: int, chars: int = 1_000, *, unread: bool = False) -> Piece:
    return Piece(Role.USER, turn, 1, chars, is_unread=unread)


def asks(turn: int, round_: int, chars: int = 100) -> Piece:
    return Piece(Role.ASSISTANT, turn, round_, chars, calls=1)


def results(turn: int, round_: int, chars: int = 1_000) -> Piece:
    return Piece(Role.TOOL, turn, round_, chars)


def answers(turn: int, round_: int = 1, chars: int = 100) -> Piece:
    return Piece(Role.ASSISTANT, turn, round_, chars)


def turns(count: int, chars: int = 1_000) -> list[Piece]:
    return [piece for turn in range(count) for piece in (said(turn, chars), answers(turn))]


def need(why: Why, pieces: list[Piece], *, needed: int = 0, turn: int | None = None) -> Need:
    return Need(
        why=why, room_chars=ROOM, context_chars=sum(piece.chars for piece in pieces), summary_chars=1_000,
        needed_chars=needed, turn=turn,
    )  # fmt: skip


def test_the_last_two_turns_stay_when_the_person_asks() -> None:
    assert choose(turns(3), need(Why.ASKED, turns(3))) == Cut(2, ())
    assert choose(turns(9), need(Why.ASKED, turns(9))) == Cut(14, ())


@pytest.mark.parametrize("count", [0, 1, 2])
def test_two_turns_are_nothing_to_sum_up(count: int) -> None:
    assert choose(turns(count), need(Why.ASKED, turns(count))) is None


def test_an_early_summary_that_gains_little_is_not_made() -> None:
    """Else one would come at every boundary while the last two turns are long."""
    pieces = [*turns(1, 500), said(8, 4_000), answers(8), said(9, 3_500), answers(9)]

    assert choose(pieces, need(Why.EARLY, pieces)) is None


def test_where_two_turns_leave_no_room_the_older_one_gives_way() -> None:
    """O-30: what comes next must be read, or the agent could never go on."""
    pieces = [said(1, 6_000), answers(1), said(2, 2_500), answers(2)]

    cut = choose(pieces, need(Why.FULL, pieces, needed=2_500))

    assert cut == Cut(2, ())


def test_a_turn_of_many_rounds_gives_up_its_older_ones_and_keeps_what_it_began_with() -> None:
    rounds = [piece for n in range(1, 9) for piece in (asks(5, n), results(5, n))]
    pieces = [said(5, 500), *rounds]

    cut = choose(pieces, need(Why.FULL, pieces, needed=1_500, turn=5))

    assert cut is not None
    assert cut.kept == (0,)
    assert pieces[cut.covered - 1].role == Role.TOOL
    assert cut.covered <= len(pieces) - 2, "the newest results are read by nobody yet"


def test_where_nothing_leaves_enough_room_no_model_is_asked() -> None:
    pieces = turns(2)

    assert choose(pieces, need(Why.FULL, pieces, needed=9_500)) is None


def test_what_a_provider_finds_too_long_is_halved() -> None:
    pieces = turns(6)

    cut = choose(pieces, need(Why.TOO_LONG, pieces))

    assert cut is not None
    assert sum(piece.chars for piece in pieces[cut.covered :]) + 1_000 <= 3_300


def test_unread_mail_stays_whole_beside_the_summary() -> None:
    """O-39: never in the summary, never lost."""
    pieces = [said(0), answers(0), said(1, unread=True), *turns(4)[4:]]

    assert choose(pieces, need(Why.ASKED, pieces)) == Cut(3, (2,))


def test_a_summary_is_due_by_the_share_of_the_room() -> None:
    assert [is_due(chars, ROOM, 80) for chars in (7_999, 8_000)] == [False, True]
    assert not is_due(ROOM * 2, ROOM, 0)


@pytest.mark.parametrize(
    ("window", "context", "most"),
    [(16_000, 14_000, 1_600), (4_000_000, 3_000_000, 12_000), (4_000_000, 8_000, 2_000), (4_000_000, 9, 500)],
)
def test_a_summary_takes_little_of_the_window_and_of_what_is_there(
    window: int, context: int, most: int
) -> None:
    assert summary_chars_max(window, context) == most


ROUNDS = st.lists(st.tuples(st.integers(1, 3_000), st.integers(1, 3_000)), max_size=6)


@given(
    st.lists(st.tuples(st.integers(1, 4_000), ROUNDS, st.booleans()), max_size=8),
    st.sampled_from(list(Why)), st.integers(0, 5_000), st.booleans(),
)  # fmt: skip
def test_whatever_was_said_no_cut_leaves_a_call_without_its_results(
    said_in: list[tuple[int, list[tuple[int, int]], bool]], why: Why, needed: int, runs: bool
) -> None:
    """G6."""
    pieces: list[Piece] = []
    for turn, (chars, rounds, unread) in enumerate(said_in):
        pieces.append(said(turn, chars, unread=unread))
        for n, (asked, given_back) in enumerate(rounds, 1):
            pieces += [asks(turn, n, asked), results(turn, n, given_back)]
    turn = len(said_in) - 1 if runs and said_in else None

    cut = choose(pieces, need(why, pieces, needed=needed, turn=turn))

    if cut is None:
        return
    assert 0 < cut.covered <= len(pieces)
    assert not pieces[cut.covered - 1].calls
    unread = {n for n, piece in enumerate(pieces[: cut.covered]) if piece.is_unread}
    assert unread <= set(cut.kept)
    if turn is not None and pieces[-1].role == Role.TOOL:
        assert cut.covered <= len(pieces) - 2
