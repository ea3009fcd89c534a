"""Where a conversation is cut: what a summary is to stand for, and what stays as it is.

The last two turns stay (product.md, Window and compaction). Only where that leaves no room for what has to
be read next more of it goes, up to the last round whose results nobody has read. A cut never comes between
an answer and its results, and mail that no answer has read stays whole beside the summary.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from postroom.domain.node import Role

EARLY_PERCENT: Final = 80
"""Of the room: there a summary is made before anything has to wait (product.md)."""
FULL_PERCENT: Final = 100
ONLY_IF_OVER: Final = -1
"""In place of a percentage: two summaries failed, so the next is due where no request holds what there is."""
LEAST_PERCENT: Final = 10
"""Of the room: what a cut has to gain, or the next one would come right behind it."""
EASY_PERCENT: Final = 60
"""Of the room: where more than the last two turns has to give way, so much is left at most."""
SUMMARY_CHARS_MAX: Final = 12_000
SUMMARY_SHARE: Final = 10
"""A summary takes a tenth of the window at most."""
CONTEXT_SHARE: Final = 4
"""And a quarter of what is there, for where a provider's window is smaller than we think."""
SUMMARY_CHARS_MIN: Final = 500


class Why(StrEnum):
    """What a summary is made for."""

    EARLY = "early"  # four fifths of the room are taken
    FULL = "full"  # what has to be read next does not fit
    TOO_LONG = "too_long"  # the provider says so
    ASKED = "asked"  # the person


class Piece(NamedTuple):
    """One node of a context as a cut sees it."""

    role: str
    turn: int
    round: int
    chars: int
    calls: int = 0
    """Of an answer: how many it made; their results come next."""
    is_unread: bool = False
    """Mail that no committed answer has read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What room there is, what has to go into it, and whose turn is at work."""

    why: Why
    room_chars: int
    context_chars: int
    summary_chars: int
    """What the new summary may take."""
    needed_chars: int = 0
    """What has to be read next and is not in the context yet."""
    turn: int | None = None
    """The turn that runs, if one does: what it has not answered yet stays."""


class Cut(NamedTuple):
    """A summary stands for the first `covered` pieces, but for those at `kept`."""

    covered: int
    kept: tuple[int, ...]


def summary_chars_max(window_chars: int, context_chars: int) -> int:
    """How long a summary may be."""
    most = min(SUMMARY_CHARS_MAX, window_chars // SUMMARY_SHARE)
    return min(most, max(context_chars // CONTEXT_SHARE, SUMMARY_CHARS_MIN))


def is_due(context_chars: int, room_chars: int, percent: int) -> bool:
    """Whether so much of the room is taken; 0 percent is never."""
    return percent > 0 and context_chars * 100 >= room_chars * percent


def choose(pieces: Sequence[Piece], need: Need) -> Cut | None:
    """The cut that keeps most and leaves enough room; nothing when none does, or none is worth it."""
    mildest = _start_of_last_turns(pieces, 2)
    if need.why is Why.ASKED:
        return _cut(pieces, mildest, need) if mildest else None
    if mildest and _is_enough(pieces, mildest, need):
        return _cut(pieces, mildest, need)
    if need.why is Why.EARLY:
        return None
    return _deeper(pieces, mildest, need)


def _is_enough(pieces: Sequence[Piece], at: int, need: Need) -> bool:
    left = _left(pieces, at, need)
    if need.why is Why.EARLY:
        limit = need.room_chars * EARLY_PERCENT // 100
        return left < limit and need.context_chars - left >= need.room_chars * LEAST_PERCENT // 100
    return left <= _target(need)


def _target(need: Need) -> int:
    """A provider that finds a request too long counts otherwise than we do: then half of it must do."""
    if need.why is Why.TOO_LONG:
        return need.context_chars // 2
    return need.room_chars - need.needed_chars


def _deeper(pieces: Sequence[Piece], behind: int, need: Need) -> Cut | None:
    """Some of the last two turns goes, too. A turn that runs takes what it can get: it may be enough."""
    places = [at for at in _places(pieces, need) if at > behind]
    target = _target(need)
    easy = min(target, need.room_chars * EASY_PERCENT // 100)
    for limit in (easy, target):
        for at in places:
            if _left(pieces, at, need) <= limit:
                return _cut(pieces, at, need)
    last = places[-1] if places else behind
    gain = need.context_chars - _left(pieces, last, need) if last else 0
    is_worth_it = need.turn is not None and gain >= need.room_chars * LEAST_PERCENT // 100
    return _cut(pieces, last, need) if is_worth_it else None


def _left(pieces: Sequence[Piece], at: int, need: Need) -> int:
    """How long the context is behind such a cut, with a summary of full length."""
    kept = sum(pieces[n].chars for n in _kept(pieces, at, need))
    return need.summary_chars + kept + sum(piece.chars for piece in pieces[at:])


def _cut(pieces: Sequence[Piece], at: int, need: Need) -> Cut:
    return Cut(at, tuple(_kept(pieces, at, need)))


def _kept(pieces: Sequence[Piece], at: int, need: Need) -> Iterator[int]:
    """Unread mail; and of a turn that runs and is cut itself, the texts that it began with."""
    start = _start_of_last_turns(pieces, 1)
    opens = need.turn is not None and start < at and pieces[start].turn == need.turn
    for n, piece in enumerate(pieces[:at]):
        opens_turn = opens and n >= start and piece.role == Role.USER and piece.round == pieces[start].round
        if piece.is_unread or opens_turn:
            yield n


def _start_of_last_turns(pieces: Sequence[Piece], count: int) -> int:
    """Where the last turns begin; 0 when there are no more than these."""
    starts = [n for n, piece in enumerate(pieces) if n == 0 or piece.turn != pieces[n - 1].turn]
    return starts[-count] if len(starts) > count else 0


def _places(pieces: Sequence[Piece], need: Need) -> Iterator[int]:
    """The ends of rounds and of turns, up to what nobody has answered: no text loses its answer either."""
    for at in range(1, _end(pieces, need) + 1):
        before = pieces[at - 1]
        is_end = at == len(pieces) or pieces[at].turn != before.turn
        if not before.calls and (is_end or before.role != Role.USER):
            yield at


def _end(pieces: Sequence[Piece], need: Need) -> int:
    """The newest answer of a turn that runs stays with its results; without one, what opened the turn."""
    own = [n for n, piece in enumerate(pieces) if piece.turn == need.turn]
    if need.turn is None or not own:
        return len(pieces)
    answers = [n for n in own if pieces[n].role == Role.ASSISTANT]
    return answers[-1] if answers else own[0]
