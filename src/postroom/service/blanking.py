"""Taking texts away: which of a session's go, and what stands in their place.

A node that the conversation of another session goes through stays as it is, with its text, while that session
has its own (docs/why/0029).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, cast

from postroom.domain.keys import MessageKey, NodeKey, SessionKey
from postroom.domain.node import Role, messages_in
from postroom.domain.plain import Json
from postroom.store.tx import Tx
from postroom.store.tx_prune import ALL, NO_MESSAGE, NO_NODE, Body
from postroom.store.tx_shelf import ForkRow, Written

_BLANK: Final[Mapping[str, Mapping[str, Json]]] = {
    Role.ASSISTANT: {"text": "", "provider_parts": None},
    Role.SUMMARY: {"text": "", "open": []},
    Role.ATTACH: {"prompt": "", "label": ""},
}
"""Role -> what stands in the place of its own words; those of mail are in the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Up to where the texts of a session went."""

    message: MessageKey = NO_MESSAGE
    node: NodeKey = NO_NODE


BEGINNING: Final = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """Texts of a session that nobody else reads."""

    bodies: list[Body]
    nodes: list[Written]
    kept: int
    """Items that stay, because the conversation of another session goes through them."""
    place: Place | None
    """Where to go on; none when nothing is left."""


def leaving(
    tx: Tx, session: SessionKey, place: Place = BEGINNING, limit: int = ALL,
    gone: AbstractSet[SessionKey] = frozenset(),
) -> Leaving:  # fmt: skip
    """What is to go of a session's next texts, as if those of the sessions in `gone` were gone already."""
    bodies = tx.bodies_of_session(session, place.message, limit)
    texts = tx.texts_of_session(session, place.node, limit)
    free = [body for body in bodies if body.holders <= gone]
    readers = frozenset({session}.union(*(body.holders | body.ghosts for body in free)))
    needed = frozenset(message for reader in readers for message in _kept_mail(tx, reader, gone))
    shared = shared_nodes(tx, session, gone)
    own = [text for text in texts if text.node not in shared]
    after = Place(
        message=bodies[-1].message if bodies else place.message, node=texts[-1].node if texts else place.node
    )
    return Leaving(
        bodies=[body for body in free if body.message not in needed], nodes=own, kept=len(texts) - len(own),
        place=after if max(len(bodies), len(texts)) == limit else None,
    )  # fmt: skip


def take_texts(tx: Tx, session: SessionKey) -> Leaving:
    """Take away the texts that nobody else reads; which ones."""
    found, keeps_digests = leaving(tx, session), tx.pruned_seq(session) > 0
    for body in found.bodies:
        if keeps_digests:
            take_body(tx, body)
        else:
            tx.blank_message(body.message, body.text)
    for node in found.nodes:
        take_node(tx, node)
    return found


def take_origins(tx: Tx, session: SessionKey) -> None:
    """What it was forked from may have lost its texts before, but for those that were kept for it alone."""
    origin = tx.origin_of_session(session)
    while origin is not None and origin[1]:
        take_texts(tx, origin[0])
        origin = tx.origin_of_session(origin[0])


def take_body(tx: Tx, body: Body) -> None:
    """Leave of a body its size and its hash."""
    tx.prune_body(body.message, body.text, hashlib.sha256(body.text.encode()).hexdigest())


def take_node(tx: Tx, node: Written) -> None:
    """Leave of an item how many calls an answer made, and of which tools."""
    tx.blank_node(node, _blank(node))


def shared_nodes(tx: Tx, session: SessionKey, gone: AbstractSet[SessionKey]) -> frozenset[NodeKey]:
    """The nodes of a session that a session which has its texts begins with."""
    used = (fork for fork in tx.forks_of_session(session) if _is_in_use(tx, fork, gone))
    return frozenset(_behind(tx, (fork.node for fork in used)))


def _kept_mail(tx: Tx, session: SessionKey, gone: AbstractSet[SessionKey]) -> Iterator[MessageKey]:
    """The messages that those nodes show."""
    if not (shared := shared_nodes(tx, session, gone)):
        return
    for node in tx.texts_of_session(session):
        if node.node in shared:
            yield from messages_in(node.parts) if node.message is None else (node.message,)


def _behind(tx: Tx, heads: Iterable[NodeKey]) -> Iterable[NodeKey]:
    for head in set(heads):
        yield from (step.node for step in tx.steps_to_head(head))


def _is_in_use(tx: Tx, fork: ForkRow, gone: AbstractSet[SessionKey]) -> bool:
    """It has its texts, or a session goes on from it that has."""
    if not fork.is_gone and fork.session not in gone:
        return True
    return any(_is_in_use(tx, later, gone) for later in tx.forks_of_session(fork.session))


def _blank(node: Written) -> str:
    """An item without its words: how many calls an answer made, and of which tools, stays."""
    if (blank := _BLANK.get(node.role)) is None:
        return node.parts
    parts: dict[str, object] = json.loads(node.parts) | blank
    if node.role == Role.ASSISTANT:
        made = cast("list[tuple[str, str]]", parts["calls"])
        parts["calls"] = [(tool, "{}") for tool, _ in made]
    return json.dumps(parts)
