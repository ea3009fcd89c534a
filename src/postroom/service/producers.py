"""Work that outlives its call: written down before it begins, told by a `plugin` message when it ends.

The message stays in the chain of the turn that began the work. It joins or wakes a turn, except where
that turn was cancelled: then it is a notice, because late work never restarts a cancelled agent.
"""

import json
from dataclasses import asdict

from postroom.domain.keys import CallKey, MessageKey, ProducerKey
from postroom.domain.message import Kind, Mode, Reason
from postroom.domain.node import MailFacts
from postroom.domain.turn import Turn, TurnState
from postroom.rules.text import scrub
from postroom.service.clearing import clear_mailbox
from postroom.service.facts import Ring
from postroom.service.goals import remind
from postroom.service.receipts import mode_at, recipient_state
from postroom.service.wake import wake_recipient
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_work import ProducerRow

LABEL_CHARS = 200
LOST = (
    "the process that ran it ended; whether the work ended is not known, and nothing more will be heard of it"
)


def begin_work(tx: Tx, turn: Turn, call: CallKey, label: str) -> ProducerKey:
    """Write the work down. Raises `StaleFence` when the turn is over: then it must not begin."""
    row = tx.owned(turn.key, turn.fence)
    return tx.insert_producer(row.session, row.branch, turn.key, call, scrub(label)[:LABEL_CHARS])


def end_work(tx: Tx, producer: ProducerKey, text: str, *, is_error: bool) -> Ring:
    """Tell the agent that the work has ended; a second end changes nothing."""
    row, ring = tx.producer_row(producer), Ring()
    if row is None or row.state != "open":
        return ring
    message = _tell(tx, ring, row, text, is_error=is_error)
    tx.end_producer(row.session, producer, message)
    remind(tx, ring, tx.session_row(row.session).root)
    return ring


def end_lost_work(tx: Tx) -> Ring:
    """What a dead process was working on ends now; nobody else would ever tell."""
    ring = Ring()
    for producer in tx.open_producers():
        ring.take(end_work(tx, producer, LOST, is_error=True))
    return ring


def _tell(tx: Tx, ring: Ring, row: ProducerRow, text: str, *, is_error: bool) -> MessageKey:
    kind = Kind.NOTICE if row.turn_state == TurnState.CANCELLED else Kind.PLUGIN
    to = tx.recipient_by_branch(None, row.branch)
    facts = MailFacts(  # also a notice is read as what it is: foreign text, not the runtime's own words (G5)
        kind=Kind.PLUGIN, sender="background", outcome="failed" if is_error else "ended",
        description=row.label,
    )  # fmt: skip
    letter = Letter(
        kind=kind, mode=mode_at(tx, to, Mode.STEER), body=scrub(text), facts=json.dumps(asdict(facts)),
        chain=row.chain,
        sender_address="background", messages=row.messages, generations=row.generations,
    )  # fmt: skip
    message, _ = tx.post(letter, to, recipient_state(tx, to))
    if to.archived_us is not None and to.turn is None:
        clear_mailbox(tx, ring, row.branch, Reason.ARCHIVED)
    wake_recipient(tx, ring, to)
    return message
