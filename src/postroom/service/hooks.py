"""What hooks made of a call, and the mail of plugins.

A plugin is a producer: it writes as itself, never as the person or an agent, and what it writes starts a
chain of its own. Hooks only narrow: changed arguments are judged again by whoever asked.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from postroom.domain.keys import BranchKey, CallKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.domain.turn import Turn
from postroom.rules import guards, naming
from postroom.rules.envelope import PLUGIN
from postroom.rules.text import is_blank, is_encodable
from postroom.service.addresses import closed_to_all
from postroom.service.budgets import LimitsNow, begin_chain, unknown_limits
from postroom.service.facts import Ring
from postroom.service.receipts import address_of, first_receipt, mode_at, recipient_state
from postroom.service.wake import wake_recipient
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

PLUGIN_BODY_BYTES_MAX = 262_144
"""Bytes of a plugin's message (systems.md 3.7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookNote:
    """One decision of a hook that the log keeps: a denial, or a failure and its code."""

    hook: str
    verdict: str
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginText:
    """What a plugin writes. `key` makes writing it again harmless, also after a restart."""

    plugin: str
    body: str
    mode: Mode = Mode.STEER
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSent:
    """The receipt of a plugin's message, and what is to be looked at."""

    receipt: Receipt
    ring: Ring


def change_call(tx: Tx, turn: Turn, call: CallKey, arguments: str, by: str) -> None:
    """Put a hook's arguments beside the model's. Raises `StaleFence` when the turn is over.

    A call that is asked about again, after a restart, keeps the change that was made last.
    """
    row = tx.owned(turn.key, turn.fence)
    tx.change_call(row.session, turn.key, call, arguments, by)


def note_hooks(tx: Tx, turn: Turn, call: CallKey, notes: Sequence[HookNote]) -> None:
    """Keep which hooks denied or failed. Raises `StaleFence` when the turn is over."""
    row = tx.owned(turn.key, turn.fence)
    for note in notes:
        tx.log_hook(row.session, turn.key, call, note.hook, note.verdict, note.code)


def plugin_send(
    tx: Tx, branch: BranchKey, text: PluginText, limits: LimitsNow = unknown_limits
) -> PluginSent | Refusal:
    """Accept a plugin's message. Durable on return; it wakes, and it counts for no cap or window.

    The same key gives the first receipt. Refuses `invalid_body`, `archived`, `mailbox_limit`,
    `invalid_arguments` for a name that is none and a blank key, and `idempotency_conflict` for another text,
    mode or recipient under a known key.
    """
    if not naming.is_plugin_name(text.plugin) or is_blank(text.key) or not is_encodable(text.key):
        return Refusal(code=Code.INVALID_ARGUMENTS)
    address = plugin_address(text.plugin)
    client = f"{address}:{text.key}"
    to = tx.recipient_by_branch(None, branch)
    mode = mode_at(tx, to, text.mode)
    if (first := tx.message_of_client(client)) is not None:
        same = (first.body, first.mode, first.recipient) == (text.body, mode, branch)
        known = PluginSent(receipt=first_receipt(tx, first), ring=Ring())
        return known if same else Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    if (closed := closed_to_all(tx, branch)) is not None:
        return closed
    code = guards.check_body(text.body, PLUGIN_BODY_BYTES_MAX) or guards.check_waiting(to.n_waiting)
    if code is not None:
        return Refusal(code=code)
    state, ring = recipient_state(tx, to), Ring()
    letter = Letter(
        kind=Kind.PLUGIN, mode=mode, body=text.body, actor=address, sender_address=address,
        facts=json.dumps(asdict(MailFacts(kind=Kind.PLUGIN, sender=address))), client_id=client,
        chain=begin_chain(tx, to, limits),
    )  # fmt: skip
    _, public_id = tx.post(letter, to, state)
    wake_recipient(tx, ring, to)
    receipt = Receipt(
        message_id=public_id, mode=mode, recipient_state=state, address=address_of(tx, to),
        number=to.mailbox_seq + 1,
    )  # fmt: skip
    return PluginSent(receipt=receipt, ring=ring)


def plugin_address(plugin: str) -> str:
    """The sender of a plugin's mail, in the log and in the envelope. No agent's handle holds a colon."""
    return f"{PLUGIN}{plugin}"
