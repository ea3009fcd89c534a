"""What a boundary finds on the bus of its turn: everything behind the cursor that is for its reader.

Only here a message to a selector gets its recipients: a delivery for each reader that takes it. The caller
claims it in the same transaction (`service.take`), so it never lies in a mailbox, and never wakes anybody.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from postroom.domain.keys import BranchKey, DeliveryKey
from postroom.domain.message import Kind
from postroom.domain.node import MailFacts
from postroom.faults import reach
from postroom.rules import selectors
from postroom.service.take import Boundary, added_chars
from postroom.store.rows import Mail
from postroom.store.tx import Tx
from postroom.store.tx_rosters import PAGE, Post, Reader, as_delivery

BETWEEN_CHARS = 2
"""Between two messages of one item."""


def waits_on_bus(tx: Tx, turn: int, branch: int) -> bool:
    """Whether something stands behind the cursor that is for the agent of a turn."""
    reader = _behind(tx, turn, branch)
    if reader is None:
        return False
    return any(selectors.matches(post.selector, reader.address) for post in _posts_behind(tx, reader))


def draw(tx: Tx, boundary: Boundary, before: Sequence[Mail] = ()) -> tuple[Mail, ...]:
    """The messages that enter at this boundary behind what it takes of the mailbox; the cursor moves.

    What has no room stays behind it, with all that comes after that. The caller claims what it is given.
    """
    if boundary.policy.mailbox != "turn":
        return ()
    reader = _behind(tx, boundary.turn, boundary.branch)
    if reader is None:
        return ()
    found, seq = list[Mail](), reader.cursor_seq
    room = boundary.room_chars - sum(added_chars(tx, boundary, item) for item in before)
    for post in _posts_behind(tx, reader):
        if selectors.matches(post.selector, reader.address):
            room -= added_chars(tx, boundary, _as_mail(post, reader)) + BETWEEN_CHARS
            if room < 0:
                break
            found.append(_bound(tx, post, reader))
        seq = post.seq
    if seq > reader.cursor_seq:
        tx.move_cursor(boundary.session, reader, seq)
    if found:
        reach("bus.taken")
    return tuple(found)


def _posts_behind(tx: Tx, reader: Reader) -> Iterator[Post]:
    """What stands behind the cursor, to the end of the bus; as many are in memory as one page holds."""
    seq = reader.cursor_seq
    while page := tx.posts_behind(reader.bus, seq):
        yield from page
        seq = page[-1].seq
        if len(page) < PAGE:
            return


def _behind(tx: Tx, turn: int, branch: int) -> Reader | None:
    """The reader of a turn, if its bus has something that it has not looked at."""
    bus = tx.bus_of_turn(turn)
    reader = tx.reader_of_branch(bus.key, branch) if bus is not None and bus.closed_us is None else None
    return reader if bus is not None and reader is not None and reader.cursor_seq < bus.seq else None


def _bound(tx: Tx, post: Post, reader: Reader) -> Mail:
    delivery = tx.bind(post, tx.recipient_by_branch(None, reader.branch))
    return _as_mail(post, reader)._replace(delivery=delivery)


def _as_mail(post: Post, reader: Reader) -> Mail:
    """Agent text that stood there when its reader began says so; the person's never does (KK-20)."""
    is_older = post.kind is not Kind.USER and post.seq <= reader.opened_seq
    facts = MailFacts(kind=post.kind, sender=post.sender_address, replayed=is_older)
    delivery = as_delivery(post, BranchKey(reader.branch), DeliveryKey(0), 0)
    return Mail(delivery, post.sender_address, post.body, json.dumps(asdict(facts)))
