"""Taking texts away: which of a session's go, and what stands in their place.

A node that the conversation of another session goes through stays as it is, with its text, while that session
has its own (docs/why/0029).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final, cast

from postroom.domain.keys import MessageKey, NodeKey, SessionKey
from postroom.domain.node import Role, messages_in
from postroom.domain.plain import Json
from postroom.store.tx import Tx
from postroom.store.tx_shelf import ForkRow, Written

_BLANK: Final[Mapping[str, Mapping[str, Json]]] = {
    Role.ASSISTANT: {"text": "", "provider_parts": None},
    Role.SUMMARY: {"text": "", "open": []},
    Role.ATTACH: {"prompt": "", "label": ""},
}
"""Role -> what stands in the place of its own words; those of mail are in the message."""


def take_texts(tx: Tx, session: SessionKey) -> tuple[int, int, int]:
    """Take away the texts that nobody else reads; how many messages and nodes, and how many nodes stay."""
    written, shared = tx.nodes_of_session(session), shared_nodes(tx, session)
    own = [node for node in written if node.node not in shared]
    kept_mail = messages_of(node for node in written if node.node in shared)
    gone = [(key, body) for key, body in tx.mail_of_session(session) if key not in kept_mail]
    keeps_digests = tx.pruned_seq(session) > 0
    for key, body in gone:
        if keeps_digests:
            take_body(tx, key, body)
        else:
            tx.blank_message(key, body)
    for node in own:
        take_node(tx, node)
    return len(gone), len(own), len(written) - len(own)


def take_origins(tx: Tx, session: SessionKey) -> None:
    """What it was forked from may have lost its texts before, but for those that were kept for it alone."""
    origin = tx.origin_of_session(session)
    while origin is not None and origin[1]:
        take_texts(tx, origin[0])
        origin = tx.origin_of_session(origin[0])


def take_body(tx: Tx, message: MessageKey, body: str) -> None:
    """Leave of a body its size and its hash."""
    tx.prune_body(message, body, hashlib.sha256(body.encode()).hexdigest())


def take_node(tx: Tx, node: Written) -> None:
    """Leave of an item how many calls an answer made, and of which tools."""
    tx.blank_node(node, _blank(node))


def messages_of(nodes: Iterable[Written]) -> frozenset[MessageKey]:
    """Those that nodes show."""
    return frozenset(
        message
        for node in nodes
        for message in (messages_in(node.parts) if node.message is None else (node.message,))
    )


def shared_nodes(tx: Tx, session: SessionKey) -> frozenset[NodeKey]:
    """The nodes of a session that a session which has its texts begins with."""
    used = (fork for fork in tx.forks_of_session(session) if _is_in_use(tx, fork))
    return frozenset(_behind(tx, (fork.node for fork in used)))


def _behind(tx: Tx, heads: Iterable[NodeKey]) -> Iterable[NodeKey]:
    for head in set(heads):
        yield from (step.node for step in tx.steps_to_head(head))


def _is_in_use(tx: Tx, fork: ForkRow) -> bool:
    """It has its texts, or a session goes on from it that has."""
    if not fork.is_gone:
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
