"""Pruning: the texts of conversations that are over go, and who wrote to whom when, and how much, stays.

A session goes in steps, so that no commit holds the writer for long; a step that is lost with its process is
taken again. What is over stays readable and takes nothing new: its agents are retired with the first step
(docs/why/0029).
"""

from dataclasses import dataclass, field
from typing import Final

from postroom.domain.keys import MessageKey, NodeKey, SessionKey
from postroom.domain.message import Reason
from postroom.domain.plain import Json
from postroom.service.archive import retire
from postroom.service.blanking import messages_of, shared_nodes, take_body, take_node, take_origins
from postroom.service.facts import Ring
from postroom.store.tx import Tx
from postroom.store.tx_prune import NO_MESSAGE, NO_NODE
from postroom.store.tx_shelf import By

PRUNED: Final = "its conversation was over, and its texts were pruned"
TEXTS_AT_ONCE: Final = 200
"""Messages, and items of conversations, of one step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Up to where the texts of a session went."""

    message: MessageKey = NO_MESSAGE
    node: NodeKey = NO_NODE


BEGINNING: Final = Place()


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
    shared = shared_nodes(tx, session)
    bodies = tx.bodies_of_session(session, place.message, at_once)
    texts = tx.texts_of_session(session, place.node, at_once)
    needed = _needed_mail(tx, session, shared)
    gone = [(key, body) for key, body in bodies if key not in needed]
    for key, body in gone:
        take_body(tx, key, body)
    own = [text for text in texts if text.node not in shared]
    for text in own:
        take_node(tx, text)
    counts: dict[str, Json] = {
        "messages": len(gone), "nodes": len(own), "kept": len(texts) - len(own),
    }  # fmt: skip
    after = None
    if max(len(bodies), len(texts)) == at_once:
        tx.note_pruned(session, counts, actor)
        after = Place(
            message=bodies[-1][0] if bodies else place.message, node=texts[-1].node if texts else place.node
        )
    else:
        _end(tx, session, counts, actor)
    return PruneStep(
        session_id=tx.session_row(session).public_id, messages=len(gone), nodes=len(own),
        kept=len(texts) - len(own), body_bytes=sum(len(body.encode()) for _, body in gone), place=after,
        ring=ring,
    )  # fmt: skip


def _needed_mail(tx: Tx, session: SessionKey, shared: frozenset[NodeKey]) -> frozenset[MessageKey]:
    """The messages that kept items show."""
    if not shared:
        return frozenset()
    return messages_of(node for node in tx.nodes_of_session(session) if node.node in shared)


def _end(tx: Tx, session: SessionKey, counts: dict[str, Json], actor: str) -> None:
    tx.blank_notices(session)
    tx.blank_plans(session)
    tx.prune_session(session, counts, actor)
    take_origins(tx, session)


def preview(tx: Tx, session: SessionKey, before_us: int) -> PruneStep | None:
    """What all steps together would take, as far as other sessions do not go with this one."""
    if not tx.is_over(session, before_us):
        return None
    shared = shared_nodes(tx, session)
    bodies, texts = tx.mail_of_session(session), tx.nodes_of_session(session)
    needed = messages_of(text for text in texts if text.node in shared)
    gone = [body for key, body in bodies if key not in needed]
    kept = sum(text.node in shared for text in texts)
    return PruneStep(
        session_id=tx.session_row(session).public_id, messages=len(gone), nodes=len(texts) - kept,
        kept=kept, body_bytes=sum(len(body.encode()) for body in gone),
    )  # fmt: skip
