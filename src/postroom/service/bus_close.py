"""A bus ends with the turn that opened it: nothing on it is lost, and nobody has to ask (product.md, 3).

In this order: the record of what no agent read, the word to the person, and the person's own text that the
entry agent has not read, as its next turn (systems.md 2.8). After a stop that text ends, and is named; after
the death of the process it is kept, and goes when the person says so.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from postroom.domain.message import HARD_WAITING_MAX, RESUBMITTED, Delivery, Kind, Mode, Reason, State
from postroom.domain.node import MailFacts
from postroom.domain.turn import TurnState
from postroom.rules.envelope_roster import quote
from postroom.service.receipts import recipient_state
from postroom.store.rows import Mail, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_rosters import Bus, Post

UNDELIVERED_TEXT_CHARS = 2_000
"""How much of a message the record and the word to the person hold (systems.md 2.7)."""
UNDELIVERED = "undelivered"
OFFERED = "offered"
"""Marks text of the person that waits for their word, not for the next start of a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A message that no agent read, as the record of the turn keeps it."""

    sender: str
    selector: str
    text: str
    missing: int
    """How many characters of it are left out."""


def unread_in(report: str) -> tuple[Unread, ...]:
    """Them, by the record. What this version does not know of them is passed over: they are only shown."""
    return tuple(
        Unread(sender=one["sender"], selector=one["selector"], text=one["text"], missing=one["missing"])
        for one in json.loads(report)
    )


def entry_bus(tx: Tx, row: TurnRow) -> Bus | None:
    """The open bus that a turn has opened; none for one that has joined another's."""
    bus = tx.bus_row(row.bus) if row.bus is not None else None
    return bus if bus is not None and bus.turn == row.turn and bus.closed_us is None else None


def let_go(tx: Tx, row: TurnRow, d: Delivery, state: TurnState) -> None:
    """What a turn has taken of a bus and not answered, at its end: nobody reads that delivery again.

    The message may have been read by others. A stop ends the person's own text for good.
    """
    released = tx.release(row.session, d, parked=True)
    if d.kind is Kind.USER and state is TurnState.STOPPED:
        tx.discard(row.session, released, Reason.STOPPED)
    else:
        tx.leave_undelivered(row.session, released)


def close_bus(tx: Tx, row: TurnRow, bus: Bus, state: TurnState) -> None:
    """Close the bus of a turn that has ended so."""
    taken: dict[int, list[Delivery]] = {}
    for item in tx.deliveries_of_bus(bus.key):
        taken.setdefault(item.delivery.message, []).append(item.delivery)
    posts = tx.posts_behind(bus.key, 0, HARD_WAITING_MAX)
    own = [p for p in posts if p.kind is Kind.USER and not _is_read(taken.get(p.message, ()), row.branch)]
    lost = [p for p in posts if p.kind is not Kind.USER and not _is_read(taken.get(p.message, ()))]
    for post in posts:
        if not _is_told(post, taken.get(post.message, ()), row.branch, state):
            _strand(tx, bus, post, state)
    unread = [_unread(post) for post in lost]
    tx.close_bus(bus, json.dumps([asdict(one) for one in unread]), len(unread))
    if state is TurnState.STOPPED:
        tx.notify_person(row.session, Reason.STOPPED, _stopped(row, own))
        return
    if unread:
        tx.notify_person(row.session, UNDELIVERED, _told(tx, row, unread))
    if own:
        _resubmit(tx, row, own, is_offered=state is TurnState.INTERRUPTED)


def _is_read(deliveries: Sequence[Delivery], by: int | None = None) -> bool:
    """Whether somebody has answered a request that held it; `by` whom, if that matters."""
    return any(d.state is State.CONSUMED and by in (None, d.recipient) for d in deliveries)


def _is_told(post: Post, deliveries: Sequence[Delivery], entry: int, state: TurnState) -> bool:
    """Whether a delivery says already what became of a message.

    The person's text is the entry agent's to read: a stop ends it for that one, whoever else has read it.
    """
    if post.kind is Kind.USER and state is TurnState.STOPPED:
        return any(d.recipient == entry for d in deliveries)
    return bool(deliveries)


def _strand(tx: Tx, bus: Bus, post: Post, state: TurnState) -> None:
    """Nobody whom it was for ever took it."""
    if post.kind is Kind.USER and state is TurnState.STOPPED:
        tx.strand(bus.session, post, State.DISCARDED, Reason.STOPPED)
    else:
        tx.strand(bus.session, post, State.UNDELIVERED)


def _unread(post: Post) -> Unread:
    text = post.body[:UNDELIVERED_TEXT_CHARS]
    missing = len(post.body) - len(text)
    return Unread(sender=post.sender_address, selector=post.selector, text=text, missing=missing)


def _told(tx: Tx, row: TurnRow, unread: Sequence[Unread]) -> str:
    """What went from whom to whom; where nobody attends, that something did, in which conversation."""
    if not tx.tree_rights(row.root).attended:
        return f'{_how_many(unread)} not delivered in "{tx.session_row(row.session).title}".'
    return told_as(unread)


def told_as(unread: Sequence[Unread]) -> str:
    """The sentence about what no agent read, with a line for each; empty where everything was read."""
    return "\n".join([f"{_how_many(unread)} not delivered:", *map(_line, unread)]) if unread else ""


def _how_many(unread: Sequence[Unread]) -> str:
    is_one = len(unread) == 1
    return "One message between agents was" if is_one else f"{len(unread)} messages between agents were"


def _line(one: Unread) -> str:
    """No line of an agent's text can pass for a line about another message."""
    rest = f" ({one.missing} more characters)" if one.missing else ""
    return f"- from {one.sender} to {one.selector}: {quote(one.text)}{rest}"


def _stopped(row: TurnRow, own: Sequence[Post]) -> str:
    """That it was stopped, and which text of the person is lost with it; never an agent's (KK-43)."""
    if not own:
        return f"{row.profile} was stopped."
    texts = [post.body[:UNDELIVERED_TEXT_CHARS] for post in own]
    return "\n".join([f"{row.profile} was stopped; your last message was not delivered:", *texts])


def _resubmit(tx: Tx, row: TurnRow, own: Sequence[Post], *, is_offered: bool) -> None:
    """One text of all, known by the first one's id; it opens the next turn of the entry agent."""
    first, to = own[0], tx.recipient_by_branch(None, row.branch)
    client_id = f"{RESUBMITTED}{first.client_id or first.public_id}"
    facts = MailFacts(kind=Kind.USER, code=OFFERED if is_offered else "")
    letter = Letter(
        kind=Kind.USER, mode=Mode.QUEUE, body="\n\n".join(post.body for post in own), chain=first.chain,
        facts=json.dumps(asdict(facts)), sender_address=first.sender_address,
        client_id=client_id, reply_to=first.message, actor="person",
    )  # fmt: skip
    message, _ = tx.post(letter, to, recipient_state(tx, to))
    if is_offered:
        (item,) = tx.deliveries_of_message(message)
        tx.park(row.session, item.delivery)


def is_offered(item: Mail) -> bool:
    """Whether it waits for the person's word."""
    return (
        item.delivery.kind is Kind.USER and bool(item.facts) and json.loads(item.facts).get("code") == OFFERED
    )
