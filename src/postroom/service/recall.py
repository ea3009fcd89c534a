"""Taking a message back before anybody reads it: the person any, a plugin and an agent their own (CK-39)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.keys import CallKey, MessageKey
from postroom.domain.message import Delivery, Kind, Reason, State
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import EndedBy, Turn
from postroom.rules.naming import SHOWN_CHARS, id_of
from postroom.service.facts import Directory, Ring
from postroom.service.hooks import plugin_address
from postroom.service.notices import post_notice
from postroom.service.outbox import discard_held, drop, flush_pair
from postroom.service.receipts import address_for, address_of
from postroom.service.waits import tell_of_message
from postroom.store.rows import Mail
from postroom.store.tx import Tx

RECALLABLE = frozenset({Kind.USER, Kind.MAIL, Kind.PLUGIN})
"""What somebody wrote. A task is cancelled instead, so that its dispatcher hears of its end; what the
runtime says of ends and drops is never taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What became of one recipient's part of a message that was to be taken back."""

    address: str
    """The recipient, as whoever takes it back reads it."""
    code: Code | None = None
    """Why it stays; `None`: nobody will read it there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A message that was taken back, wholly or from those who had not begun to read it."""

    message_id: str
    places: tuple[Place, ...]
    ring: Ring


RenderRecalled: TypeAlias = Callable[[Recalled], str]


def recall(tx: Tx, message_id: str, directory: Directory, plugin: str = "") -> Refusal | Ring:
    """Discard a message where nobody has begun to read it, as the person or as a plugin; also a held one.

    What waits behind a held one goes on. Twice is fine. A plugin that asks for what is not its own reads what
    absence reads like. Refuses `unknown_reference`, and where no recipient's part can be taken back
    `not_recallable`, `already_being_read` and `already_ended`.
    """
    found, ring = _find(tx, message_id), Ring()
    if not found or (plugin and not _is_own(found[0], plugin)):
        return Refusal(code=Code.UNKNOWN_REFERENCE)
    codes = [_take_back(tx, ring, one.delivery, directory, is_own=False) for one in found]
    return ring if None in codes else Refusal(code=codes[0] or Code.ALREADY_ENDED)


def recall_own(
    tx: Tx, turn: Turn, call: CallKey, message_id: str, directory: Directory, render: RenderRecalled
) -> Recalled | Refusal:
    """The same for mail of the turn's agent; the call's result is all that it is told, so no notice follows.

    Its chain gets nothing back. Refuses `unknown_message` for what it has not written, and as `recall` does.
    """
    row = tx.owned(turn.key, turn.fence)
    found, ring = _find(tx, message_id), Ring()
    if not found or found[0].delivery.sender != turn.branch:
        return Refusal(code=Code.UNKNOWN_MESSAGE, facts={"id": message_id[:SHOWN_CHARS]})
    places = tuple(
        Place(
            address=address_of(tx, tx.recipient_by_branch(None, one.delivery.recipient), row.policy),
            code=_take_back(tx, ring, one.delivery, directory, is_own=True),
        )
        for one in found
    )  # fmt: skip
    if all(place.code is not None for place in places):
        return Refusal(code=places[0].code or Code.ALREADY_ENDED, facts={"id": message_id[:SHOWN_CHARS]})
    done = Recalled(message_id=message_id, places=places, ring=ring)
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, render(done), is_error=False)
    return done


def _take_back(tx: Tx, ring: Ring, d: Delivery, directory: Directory, *, is_own: bool) -> Code | None:
    """One recipient's part; why it stays, if it does. Of one that is back already there is nothing to do."""
    if (code := _why_not(d)) is not None:
        return None if tx.reason_of(d.key) == Reason.RECALLED else code
    held = tx.held_of_message(d.message, d.recipient)
    if held is not None:
        discard_held(tx, held, Reason.RECALLED) if is_own else drop(tx, ring, held, Reason.RECALLED)
        flush_pair(tx, ring, held.sender, d.recipient, directory)
    else:
        _discard(tx, d, is_own=is_own)
    tell_of_message(tx, ring, d.message)
    return None


def _why_not(d: Delivery) -> Code | None:
    """Why it cannot be taken back now. What a released message says has been shown to a model: too late."""
    if d.kind not in RECALLABLE:
        return Code.NOT_RECALLABLE
    if d.state is State.CLAIMED or (d.state is State.ACCEPTED and d.node is not None):
        return Code.ALREADY_BEING_READ
    return None if d.state in (State.HELD, State.ACCEPTED) else Code.ALREADY_ENDED


def discard_unread(tx: Tx, message: MessageKey, reason: Reason) -> bool:
    """Discard a message where nobody has read it yet, or while it is held; whether there was such a place."""
    stands = [m.delivery for m in tx.deliveries_of_message(message)]
    for d in stands:
        if (held := tx.held_of_message(message, d.recipient)) is not None:
            discard_held(tx, held, reason)
        elif d.state is State.ACCEPTED:
            tx.discard(tx.branch_row(d.recipient).session, d, reason)
    return any(d.state in (State.HELD, State.ACCEPTED) for d in stands)


def _find(tx: Tx, message_id: str) -> list[Mail]:
    row = tx.message_by_public_id(id_of(message_id))
    return [] if row is None else tx.deliveries_of_message(int(str(row[0])))


def _is_own(found: Mail, plugin: str) -> bool:
    return found.delivery.kind is Kind.PLUGIN and found.sender_address == plugin_address(plugin)


def _discard(tx: Tx, d: Delivery, *, is_own: bool) -> None:
    """The agent that wrote it is told; whoever takes back its own message knows."""
    to = tx.recipient_by_branch(None, d.recipient)
    tx.discard(to.session, d, Reason.RECALLED)
    if d.sender is not None and not is_own:
        named = address_for(tx, to, d.sender)
        text = f"Your message to {named} was taken back by the person before it was read."
        post_notice(tx, d.sender, text, Reason.RECALLED, d.chain)
