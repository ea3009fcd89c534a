"""Deleting a session: its agents are archived, its address reads as absent, and its texts go.

A text that the conversation of another session goes through stays; it goes when the last of those sessions is
deleted or pruned (docs/why/0029).
"""

from dataclasses import dataclass, field

from postroom.domain.keys import SessionKey
from postroom.domain.message import Reason
from postroom.domain.receipt import Code, Refusal
from postroom.service.archive import PERSON, retire
from postroom.service.blanking import take_origins, take_texts
from postroom.service.facts import Ring
from postroom.store.tx import Tx

DELETED = "its session was deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """What went with a session."""

    session_id: str
    agents: int
    messages: int
    """Messages whose text is gone."""
    nodes: int
    """Items of conversations whose text is gone."""
    kept: int
    """Items that stay, because the conversation of another session goes through them."""
    ring: Ring = field(default_factory=Ring, repr=False)


def delete(tx: Tx, session: SessionKey) -> Deleted | Refusal:
    """Delete a session, as the person. `not_idle` while an agent of it has a turn of whatever state."""
    if tx.busy_branches(session):
        return Refusal(code=Code.NOT_IDLE)
    ring, public_id, agents = Ring(), tx.session_row(session).public_id, 0
    tx.blank_notices(session)
    for branch in tx.unretired_branches(session):
        done = retire(tx, tx.recipient_by_branch(None, branch), DELETED, PERSON, Reason.DELETED)
        ring.take(done.ring)
        agents += 1
    taken = take_texts(tx, session)
    messages, nodes = len(taken.bodies), len(taken.nodes)
    tx.blank_plans(session)
    tx.delete_session(session, {"agents": agents, "messages": messages, "nodes": nodes, "kept": taken.kept})
    take_origins(tx, session)
    return Deleted(
        session_id=public_id, agents=agents, messages=messages, nodes=nodes, kept=taken.kept, ring=ring
    )
