"""Events as frames of a stream: encoded once, in the thread that reads them, for everybody who follows.

A frame is kept without its id, because the same event has one number in the log of the store and another in
that of its session.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from postroom.domain.keys import SessionKey
from postroom.domain.plain import Json
from postroom.observe.asks import ask_rows
from postroom.observe.board import board, board_of
from postroom.observe.doing import ProviderWait
from postroom.observe.event_view import EventView, Names, read_events, read_session_events
from postroom.observe.find import find_session
from postroom.observe.looks import as_json
from postroom.store.tx import Tx

FRAMES_AT_ONCE: Final = 500
"""Events that are read at once."""


class Frame(NamedTuple):
    """One event, ready to be sent."""

    pos: int
    seq: int
    session_id: str
    body: bytes
    """All of the frame that comes behind the line with its id."""


class FramePage(NamedTuple):
    """Some frames, in order."""

    frames: tuple[Frame, ...]
    pos: int
    """Everything that was asked for up to this position of the store is in it."""
    is_whole: bool
    """There is no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Whose log is followed, and between which numbers of it a reader may come back."""

    session: SessionKey | None = None
    """One session, or none for the whole store."""
    session_id: str = ""
    pos: int
    """The newest position of the store."""
    newest: int
    """The newest number of this log: a `seq` of the session, or the `pos` of the store."""
    tag: str = ""
    """A store that was restored has its own: numbers of another log say nothing here."""
    pruned: int = 0
    """Texts that events before this number told of may be gone: nobody comes back from further back."""


Snapshot: TypeAlias = tuple[Followed, dict[str, Json]]


def follow(tx: Tx, session: str | None) -> Followed:
    """What is meant, with its bounds now. Raises `NotFound`."""
    pos = tx.last_pos()
    if session is None:
        return Followed(pos=pos, newest=pos, tag=tx.log_tag(), pruned=tx.pruned_pos())
    found = find_session(tx, session)
    return Followed(
        session=found.key, session_id=found.public_id, pos=pos, newest=tx.last_seq(found.key),
        tag=tx.log_tag(), pruned=tx.pruned_seq(found.key),
    )  # fmt: skip


def read_frames(tx: Tx, names: Names, session: SessionKey | None, behind: int) -> FramePage:
    """The next events behind a number, of one session or of the store; at most `FRAMES_AT_ONCE`."""
    if session is None:
        events = read_events(tx, names, behind, FRAMES_AT_ONCE)
    else:
        events = read_session_events(tx, names, session, behind, FRAMES_AT_ONCE)
    is_whole = len(events) < FRAMES_AT_ONCE
    return FramePage(tuple(map(_frame, events)), tx.last_pos() if is_whole else events[-1].pos, is_whole)


def _frame(event: EventView) -> Frame:
    return Frame(event.pos, event.seq, event.session_id, control("log", as_json(event)))


def control(event: str, data: Json) -> bytes:
    """A frame without an id. ASCII, so that no text of an agent can end a line of the stream."""
    return b"event: %b\ndata: %b\n\n" % (event.encode(), json.dumps(data, separators=(",", ":")).encode())


def snapshot(tx: Tx, waits: Mapping[int, ProviderWait], session: str | None) -> Snapshot:
    """What a reader begins with who cannot come back to where it was: the board, and all open asks.

    `waits` says by branch who waits for a provider. Raises `NotFound`.
    """
    shown = board(tx, waits) if session is None else board_of(tx, waits, session)
    state: dict[str, Json] = {"roots": [as_json(root) for root in shown.roots], "before": shown.before}
    return follow(tx, session), {**state, "asks": ask_rows(tx, session)}
