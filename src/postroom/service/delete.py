"""Deleting a session: its agents are archived, its address reads as absent, and its texts go.

A node that the conversation of another session goes through stays as it is, with its text; it goes when the
last of those sessions is deleted (docs/why/0029).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from postroom.domain.keys import MessageKey, NodeKey, SessionKey
from postroom.domain.message import Reason
from postroom.domain.node import Role, messages_in
from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Refusal
from postroom.service.archive import PERSON, retire
from postroom.service.facts import Ring
from postroom.store.tx import Tx
from postroom.store.tx_shelf import ForkRow, Written

DELETED = "its session was deleted"
_BLANK: Final[Mapping[str, Mapping[str, Json]]] = {
    Role.ASSISTANT: {"text": "", "provider_parts": None},
    Role.SUMMARY: {"text": "", "open": []},
    Role.ATTACH: {"prompt": "", "label": ""},
}
"""Role -> what stands in the place of its own words; those of mail are in the message."""


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
    messages, nodes, kept = _prune(tx, session)
    tx.blank_plans(session)
    tx.delete_session(session, {"agents": agents, "messages": messages, "nodes": nodes, "kept": kept})
    _prune_origins(tx, session)
    return Deleted(session_id=public_id, agents=agents, messages=messages, nodes=nodes, kept=kept, ring=ring)


def _prune_origins(tx: Tx, session: SessionKey) -> None:
    """What it was forked from may have been deleted before, and been kept for this session alone."""
    origin = tx.origin_of_session(session)
    while origin is not None and origin[1]:
        _prune(tx, origin[0])
        origin = tx.origin_of_session(origin[0])


def _prune(tx: Tx, session: SessionKey) -> tuple[int, int, int]:
    """Take away the texts that nobody else reads; how many messages and nodes, and how many nodes stay."""
    written, shared = tx.nodes_of_session(session), _shared(tx, session)
    own = [node for node in written if node.node not in shared]
    kept_mail = {message for node in written if node.node in shared for message in _messages(node)}
    gone = [(key, body) for key, body in tx.mail_of_session(session) if key not in kept_mail]
    for key, body in gone:
        tx.blank_message(key, body)
    for node in own:
        tx.blank_node(node, _blank(node))
    return len(gone), len(own), len(written) - len(own)


def _messages(node: Written) -> tuple[MessageKey, ...]:
    """Those that a node shows."""
    return messages_in(node.parts) if node.message is None else (node.message,)


def _shared(tx: Tx, session: SessionKey) -> frozenset[NodeKey]:
    """The nodes of a session that a session which is not deleted begins with."""
    used = (fork for fork in tx.forks_of_session(session) if _is_in_use(tx, fork))
    return frozenset(_behind(tx, (fork.node for fork in used)))


def _behind(tx: Tx, heads: Iterable[NodeKey]) -> Iterable[NodeKey]:
    for head in set(heads):
        yield from (step.node for step in tx.steps_to_head(head))


def _is_in_use(tx: Tx, fork: ForkRow) -> bool:
    """Not deleted, or a session goes on from it that is not."""
    if not fork.is_deleted:
        return True
    return any(_is_in_use(tx, later) for later in tx.forks_of_session(fork.session))


def _blank(node: Written) -> str:
    """An item without its words: how many calls an answer made, and of which tools, stays."""
    if (blank := _BLANK.get(node.role)) is None:
        return node.parts
    parts: dict[str, object] = json.loads(node.parts) | blank
    if node.role == Role.ASSISTANT:
        made = cast("list[tuple[str, str]]", parts["calls"])
        parts["calls"] = [(tool, "{}") for tool, _ in made]
    return json.dumps(parts)
