"""What is accepted for a selector: it stands on the bus, durable, and whoever it means reads it there later.

The checks come in the order of systems.md 2.5. A refusal puts nothing on the bus.
"""

import json
from dataclasses import asdict, dataclass

from postroom.domain.event import actor_of
from postroom.domain.keys import MessageKey
from postroom.domain.message import HARD_WAITING_MAX, Kind, Mode
from postroom.domain.node import MailFacts
from postroom.domain.policy import Policy
from postroom.domain.receipt import Candidate, Code, Receipt, RecipientState, Refusal
from postroom.rules import guards, selectors
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.bus import matched, roster
from postroom.service.facts import Directory
from postroom.service.limits import facts_of_sender
from postroom.service.rights import Deed, is_allowed
from postroom.store.rows import SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_rosters import Bus, Post

ANYBODY = "*"
"""How rules name the recipients of a selector: they may be several, and of every relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a call asks to put on the bus of its turn."""

    call: int
    selector: str
    body: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The message, and its receipt."""

    message: MessageKey
    receipt: Receipt


def post(tx: Tx, sender: SenderRow, notice: Notice, directory: Directory) -> Posted | Refusal:
    """Put a message of an agent on the bus of its turn.

    Refuses `disabled`, `no_turn`, `no_address`, `invalid_body`, `unknown_selector`, `permission_denied`,
    `chain_spent`, `max_hops_exceeded`, `messages_spent` and `mailbox_limit`, in this order.
    """
    policy, bus = tx.policy(sender.policy), tx.bus_of_turn(sender.turn)
    if not policy.messaging_enabled:
        return Refusal(code=Code.DISABLED)
    if bus is None or bus.closed_us is not None:
        return Refusal(code=Code.NO_TURN)
    own = tx.reader_of_branch(bus.key, sender.branch)
    if own is None or not own.address:
        return Refusal(code=Code.NO_ADDRESS)
    refusal = _check(tx, notice, bus, policy) or _check_rights(tx, sender, notice, directory)
    if refusal is not None:
        return refusal
    if (code := _check_budget(sender, bus, policy)) is not None:
        return Refusal(code=code)
    message, public_id = tx.post_on_bus(_letter(sender, notice, own.address), bus, notice.selector)
    return Posted(message=message, receipt=_receipt(tx, bus, notice.selector, public_id))


def first_posted(tx: Tx, post: Post) -> Receipt:
    """The receipt that the sender of a message on a bus got; it names whom the selector meant then."""
    bus = tx.bus_row(post.bus)
    assert bus is not None  # noqa: S101 -- a message stands on a bus that is there
    return _receipt(tx, bus, post.selector, post.public_id, before=post.seq)


def _check(tx: Tx, notice: Notice, bus: Bus, policy: Policy) -> Refusal | None:
    """The body, then whom it is for."""
    if (code := guards.check_body(notice.body, policy.body_bytes_max)) is not None:
        return Refusal(code=code)
    if notice.selector == selectors.EVERYONE or matched(tx, bus, notice.selector):
        return None
    named = tuple(
        Candidate(handle=address, description="", status="", session_id="") for address in roster(tx, bus)
    )
    return Refusal(code=Code.UNKNOWN_SELECTOR, facts={"to": notice.selector[:SHOWN_CHARS]}, candidates=named)


def _check_rights(tx: Tx, sender: SenderRow, notice: Notice, directory: Directory) -> Refusal | None:
    facts = facts_of_sender(tx, directory, sender)
    deed = Deed(action="message", resource=ANYBODY, tool=notice.tool)
    call, overlay = notice.call, sender.overlay
    if facts is None or not is_allowed(tx, sender.root, call, facts, overlay, deed, notice.body):
        return Refusal(code=Code.PERMISSION_DENIED, facts={"to": notice.selector[:SHOWN_CHARS]})
    return None


def _check_budget(sender: SenderRow, bus: Bus, policy: Policy) -> Code | None:
    code = (
        guards.check_chain(sender.chain_now)
        or guards.check_hop(sender.messages, policy)
        or guards.check_messages(sender.messages, sender.chain_now.limits)
    )
    return Code.MAILBOX_LIMIT if code is None and bus.seq >= HARD_WAITING_MAX else code


def _letter(sender: SenderRow, notice: Notice, address: str) -> Letter:
    facts = json.dumps(asdict(MailFacts(kind=Kind.MAIL, sender=address)))
    return Letter(
        kind=Kind.MAIL, mode=Mode.STEER, body=notice.body, facts=facts, chain=sender.chain,
        sender=sender.branch, sender_session=sender.session, sender_address=address, sender_turn=sender.turn,
        call=notice.call, task=sender.task, messages=sender.messages + 1, generations=sender.generations,
        actor=actor_of(sender.branch),
    )  # fmt: skip


def _receipt(tx: Tx, bus: Bus, selector: str, public_id: str, before: int | None = None) -> Receipt:
    matches = matched(tx, bus, selector, before)
    state = RecipientState.RUNNING if matches else RecipientState.QUEUED
    return Receipt(
        message_id=public_id, mode=Mode.STEER, recipient_state=state, address=selector, matches=matches
    )
