"""Pruning: the texts of conversations that are over go, and who wrote to whom when, and how much, stays.

A session goes in steps, so that no commit holds the writer for long; a step that is lost with its process is
taken again. What is over stays readable and takes nothing new: its agents are retired with the first step
(docs/why/0029).
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from postroom.domain.keys import SessionKey
from postroom.domain.message import Reason
from postroom.domain.plain import Json
from postroom.service.archive import retire
from postroom.service.blanking import (
    BEGINNING,
    Leaving,
    Place,
    leaving,
    take_body,
    take_node,
    take_origins,
)
from postroom.service.facts import Ring
from postroom.store.tx import Tx
from postroom.store.tx_shelf import By

PRUNED: Final = "its conversation was over, and its texts were pruned"
TEXTS_AT_ONCE: Final = 200
"""Messages, and items of conversations, of one step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneStep:
    """What one step took."""

    session_id: str
    messages: int = 0
    nodes: int = 0
    kept: int = 0
    """Items that stay, because the conversation of another session goes through them."""
    body_bytes: int = 0
    place: Place | None = None
    """Where to go on; none when nothing is left."""
    ring: Ring = field(default_factory=Ring, repr=False)


def prune_step(
    tx: Tx, session: SessionKey, before_us: int, place: Place = BEGINNING, actor: str = "person",
    at_once: int = TEXTS_AT_ONCE,
) -> PruneStep | None:  # fmt: skip
    """Take the next texts of a session in whose tree nothing has happened since before a time.

    `None` when it is not over: something moved, or it is pruned or deleted already.
    """
    if not tx.is_over(session, before_us):
        return None
    ring, by = Ring(), By(actor=actor)
    for branch in tx.unretired_branches(session):
        ring.take(retire(tx, tx.recipient_by_branch(None, branch), PRUNED, by, Reason.ARCHIVED).ring)
    found = leaving(tx, session, place, at_once)
    for body in found.bodies:
        take_body(tx, body)
    for node in found.nodes:
        take_node(tx, node)
    step = _step(tx, session, found, ring)
    counts: dict[str, Json] = {"messages": step.messages, "nodes": step.nodes, "kept": step.kept}
    if found.place is not None:
        tx.note_pruned(session, counts, actor)
    else:
        _end(tx, session, counts, actor)
    return step


def preview_step(
    tx: Tx, session: SessionKey, before_us: int, place: Place, gone: AbstractSet[SessionKey]
) -> PruneStep | None:
    """What a step would take, after those that have taken the texts of the sessions in `gone`."""
    if not tx.is_over(session, before_us):
        return None
    return _step(tx, session, leaving(tx, session, place, TEXTS_AT_ONCE, gone), Ring())


def _step(tx: Tx, session: SessionKey, found: Leaving, ring: Ring) -> PruneStep:
    return PruneStep(
        session_id=tx.session_row(session).public_id, messages=len(found.bodies), nodes=len(found.nodes),
        kept=found.kept, body_bytes=sum(len(body.text.encode()) for body in found.bodies), place=found.place,
        ring=ring,
    )  # fmt: skip


def _end(tx: Tx, session: SessionKey, counts: dict[str, Json], actor: str) -> None:
    tx.blank_notices(session)
    tx.blank_plans(session)
    tx.prune_session(session, counts, actor)
    take_origins(tx, session)
