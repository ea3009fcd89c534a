"""What one session shows of itself to another that may reach it: a card, and nothing of its work."""

import json
from dataclasses import dataclass

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import CallKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Turn
from postroom.rules.reach import Why
from postroom.service.neighbours import PeerLine, Viewer, find_neighbour, line_of, view_of
from postroom.store.tx import Tx

NOT_FOUND = Refusal(code=Code.NOT_FOUND)
"""The same for every cause: it holds nothing that could differ (DS-2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerCard:
    """How a session stands. Texts are as they are stored."""

    line: PeerLine
    turns: int
    """How many of its turns have ended."""
    last_text: str
    """What it said last in a turn that has ended."""
    open_asks: int
    waiting_mail: int


def read_card(tx: Tx, viewer: Viewer, session_id: str) -> PeerCard | Why:
    """The card of a session, or why it may not be seen, for the operator."""
    view = view_of(tx, viewer)
    row = find_neighbour(tx, view, session_id)
    if isinstance(row, Why):
        return row
    said = tx.last_answer_of(row.branch)
    return PeerCard(
        line=line_of(view, row), turns=row.turns, last_text=str(json.loads(said)["text"]) if said else "",
        open_asks=tx.n_open_asks(row.root, row.branch), waiting_mail=row.n_waiting,
    )  # fmt: skip


def note_masked(tx: Tx, turn: Turn, call: CallKey, why: Why) -> None:
    """What a masked refusal does not say, for the operator (DS-9)."""
    tx.own(turn.key, turn.fence)
    log_masked(tx, turn, call, why)


def log_masked(tx: Tx, turn: Turn, call: CallKey, why: Why) -> None:
    """The same within another transaction of the turn."""
    event = json.dumps({"call": call, "why": why})
    tx.event(turn.session, EventKind.MESSAGE_MASKED, event, actor=actor_of(turn.branch), turn=turn.key)
