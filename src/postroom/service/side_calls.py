"""Side calls in the store: what is read for them, and what they cost.

A side call asks a model something beside a turn's conversation. It is charged to the chain of the turn that
caused it and leaves an event, no node (product.md section 5, Side calls).
"""

import json
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import CallKey
from postroom.domain.turn import Turn
from postroom.llm.port import Purpose, Usage
from postroom.service.charging import charge
from postroom.store.tx import Tx


class SideAnswer(NamedTuple):
    """What came of a side call, and what it cost."""

    outcome: str
    usage: Usage
    code: str = ""
    """Why nothing came of it, when nothing did; never a model's own words."""


def record_side_call(tx: Tx, turn: Turn, call: CallKey | None, purpose: Purpose, answer: SideAnswer) -> None:
    """Charge a side call and say how it came out. Raises `StaleFence` when the turn has ended meanwhile."""
    tx.own(turn.key, turn.fence)
    event = {
        "purpose": purpose, "turn": turn.key, "call": call, "outcome": answer.outcome,
        "code": answer.code,
        **charge(tx, turn, answer.usage, rounds=0).facts,
    }  # fmt: skip
    tx.event(turn.session, EventKind.SIDE_CALL_MADE, json.dumps(event), turn=turn.key)


def may_ask(tx: Tx, turn: Turn) -> bool:
    """Whether a side call may begin for a turn: not in a chain that may ask no model any more (O-33)."""
    return not tx.chain_of(turn.chain).is_dry


def persons_text(tx: Tx, turn: Turn) -> str:
    """What the person wrote last, to this agent or to the root of its tree; empty if nothing.

    Only what is the person's alone: agent mail never counts, whatever it says of itself (G10).
    """
    row = tx.owned(turn.key, turn.fence)
    return tx.newest_text_of_person(row.branch, row.root)
