"""What the mail timeline shows of a message: who wrote it, whom it went to, and how it stands with each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from postroom.domain.message import Kind, State
from postroom.rules.envelope import PLUGIN
from postroom.rules.text import brief
from postroom.store.tx_timeline import TimedDelivery, TimedMessage

PREVIEW_CHARS: Final = 160
_BY: Final = {
    Kind.USER: "user",
    Kind.PROMPT: "agent",
    Kind.MAIL: "agent",
    Kind.TASK: "agent",
    Kind.PLUGIN: "plugin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who wrote a message, or whom it went to. What is no agent has a label at most."""

    by: str = ""
    """`user`, `agent`, `runtime` or `plugin`; empty where a message on a bus has reached nobody."""
    label: str = ""
    """The agent's handle, name or profile; what the message on a bus calls its sender; the plugin's name."""
    address: str = ""
    """What means this agent and no other one in every path of the API."""
    session_id: str = ""
    branch_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailAt:
    """A message as it stands with one recipient. All times are microseconds of wall time."""

    to: Party
    mode: str
    """How it enters there, which that recipient's policy may have decided."""
    state: str
    """`held`, `accepted`, `claimed`, `consumed`, `discarded` or `undelivered`."""
    reason: str
    """Why it was discarded, or did not arrive."""
    held_for: str
    """Why it lies with its sender, while it does: `approval`, `cold` or `no_directory`."""
    recipient_state: str
    """How the recipient stood, as the sender was told."""
    held_us: int | None
    """Since when it lies with its sender; null once it does no more."""
    accepted_us: int | None
    """When it came into the mailbox, or was taken from the bus."""
    claimed_us: int | None
    """When it entered the conversation."""
    consumed_us: int | None
    """When the answer to a request that held it was committed."""
    ended_us: int | None
    """When it came to any end, read or unread."""
    latency_us: int | None
    """From accepted to consumed."""
    turn_id: str
    """The turn that holds it, or has read it."""
    round: int | None
    """In whose answer of that turn it was read."""
    attempts: int
    """How often it has entered a conversation, the time when it was read among them."""
    parked: bool
    """Whether it was given back and opens no turn by itself."""
    reverted: bool
    """Whether it was read in a part of the conversation that a revert has left."""
    expires_us: int | None
    """When it ends unread; null: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEntry:
    """One message with all that is known without its whole text."""

    message_id: str
    kind: str
    mode: str
    """How it was sent: `steer` or `queue`."""
    sender: Party
    selector: str
    """What it was written to on the bus of a turn: an address, a label or `everyone`; empty elsewhere."""
    waits_on_bus: bool
    """Whether the bus is open still, so that a reader may yet take it."""
    recipients: list[MailAt]
    """Those whom it was sent to, in the order in which they were named; on a bus those who took it.

    Where the bus closed before anybody had, one without a label.
    """
    created_us: int
    written_in: str
    """The turn in which it was written."""
    reply_to: str
    """The message that it answers or tells of."""
    answered_by: list[str]
    """The messages that answer it."""
    task_id: str
    """The task that it gives."""
    task_state: str
    task_outcome: str
    chain: int
    """The number of the chain that it belongs to."""
    body_bytes: int
    preview: str
    """The beginning of its text on one line."""
    outcome: str
    """How the work ended whose end it tells; empty where it tells of none."""
    code: str
    """Why that work failed, or what a notice is about; such a message may have no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailPage:
    """Messages, newest first."""

    messages: list[MailEntry]
    next: int | None
    """The `before` of the page with older ones; null at the beginning of all mail that is meant.

    A filter may leave a page with few messages, or with none, that has a `next` all the same.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MailView:
    """One message with its whole text."""

    mail: MailEntry
    body: str
    pruned_bytes: int | None
    """How long a text was that is gone because its conversation is over; null while it is there."""
    pruned_sha256: str
    """The SHA-256 of that text; empty while it is there."""


def told_with(facts: str) -> Mapping[str, str]:
    """What the runtime says with a message, from how it is stored."""
    return json.loads(facts) if facts else {}


def shown_entry(
    message: TimedMessage, sender: Party, at: Sequence[MailAt], answered_by: Sequence[str]
) -> MailEntry:
    """A message as the timeline shows it."""
    told = told_with(message.facts)
    return MailEntry(
        message_id=message.public_id, kind=message.kind, mode=message.mode,
        sender=_sender(message, sender), selector=message.selector,
        waits_on_bus=bool(message.is_on_bus and not message.is_bus_closed),
        recipients=list(at), created_us=message.created_us,
        written_in=message.turn_id, reply_to=message.reply_to, answered_by=list(answered_by),
        task_id=message.task_id, task_state=message.task_state, task_outcome=message.outcome,
        chain=message.chain, body_bytes=message.body_bytes,
        preview=brief(message.beginning, PREVIEW_CHARS), outcome=told.get("outcome", ""),
        code=told.get("code", ""),
    )  # fmt: skip


def shown_at(one: TimedDelivery, to: Party) -> MailAt:
    """A delivery as the timeline shows it."""
    was_accepted = one.seq > 0
    accepted_us = one.accepted_us if was_accepted else None
    consumed_us = one.ended_us if one.state == State.CONSUMED else None
    latency_us = None if accepted_us is None or consumed_us is None else consumed_us - accepted_us
    is_held = one.state == State.HELD
    return MailAt(
        to=replace(to, by="agent") if to.branch_id else to, mode=one.mode, state=one.state,
        reason="" if is_held else one.reason, held_for=one.reason if is_held else "",
        recipient_state=one.recipient_state, held_us=one.accepted_us if is_held else None,
        accepted_us=accepted_us, claimed_us=one.claimed_us, consumed_us=consumed_us, ended_us=one.ended_us,
        latency_us=latency_us, turn_id=one.turn_id, round=one.round, attempts=one.attempts,
        parked=bool(one.parked), reverted=bool(one.reverted), expires_us=one.expires_us,
    )  # fmt: skip


def _sender(message: TimedMessage, sender: Party) -> Party:
    """Who it is from; the runtime speaks of an agent in results, and for nobody in notices."""
    address = message.sender_address
    if message.kind == Kind.PLUGIN and address.startswith(PLUGIN):
        return replace(sender, by="plugin", label=address.removeprefix(PLUGIN))
    by = "runtime" if message.kind == Kind.PLUGIN else _BY.get(Kind(message.kind), "runtime")
    return replace(sender, by=by, label=sender.label or address)
