"""Mail in the order of writing, backward: of the store, of the agents of a tree, and of one agent.

No statement here walks through mail that is not asked for; each takes the messages before a key.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from postroom.store.tx_base import BaseTx


class TimedMessage(NamedTuple):
    """A message as a list shows it."""

    key: int
    public_id: str
    kind: str
    mode: str
    beginning: str
    body_bytes: int
    sender: int | None
    sender_address: str
    turn_id: str
    """The turn in which it was written."""
    reply_to: str
    chain: int
    created_us: int
    selector: str
    is_on_bus: int
    is_bus_closed: int
    task_id: str
    """The task that it gives."""
    task_state: str
    outcome: str
    facts: str
    """What the runtime says with it, as JSON; empty for what a person or an agent has written."""


class TimedDelivery(NamedTuple):
    """A message at one recipient, with the times of its life."""

    message: int
    recipient: int
    mode: str
    state: str
    seq: int
    """Its place in the mailbox; 0 while it was never there."""
    reason: str
    recipient_state: str
    accepted_us: int
    """Of what is held, when that began."""
    claimed_us: int | None
    ended_us: int | None
    turn_id: str
    round: int | None
    attempts: int
    parked: int
    reverted: int
    expires_us: int | None


class MailHead(NamedTuple):
    """The newest message before a key that an agent wrote, and that it was sent."""

    branch: int
    sent: int | None
    got: int | None


class TimelineTx(BaseTx):
    """Reading statements."""

    __slots__ = ()

    def messages_before(self, before: int, limit: int) -> list[int]:
        """Messages of the store before a key, newest first."""
        return self._values("messages_before", int, before, limit)

    def messages_from(self, branch: int, before: int, limit: int) -> list[int]:
        """What an agent wrote before a message, newest first."""
        return self._values("messages_from", int, branch, before, limit)

    def messages_to(self, branch: int, before: int, limit: int) -> list[int]:
        """What an agent was sent before a message, newest first."""
        return self._values("messages_to", int, branch, before, limit)

    def mail_heads_of_tree(self, root: int, before: int) -> list[MailHead]:
        """Where the mail of each agent of a tree begins, going backward from a key."""
        return self._each("mail_heads_of_tree", MailHead._make, before, before, root)

    def posts_for_entry(self, branch: int, before: int, limit: int) -> list[int]:
        """What the person has said to an agent on a bus and it has not taken yet, newest first."""
        return self._values("posts_for_entry", int, branch, before, limit)

    def entries_of_tree(self, root: int) -> list[int]:
        """The agents of a tree that read a bus for the person now."""
        return self._values("entries_of_tree", int, root)

    def timed_messages(self, keys: Sequence[int]) -> list[TimedMessage]:
        """Some messages, newest first."""
        return self._each("timed_messages", TimedMessage._make, json.dumps(list(keys)))

    def timed_deliveries(self, keys: Sequence[int]) -> list[TimedDelivery]:
        """How some messages stand with each of their recipients."""
        return self._each("timed_deliveries", TimedDelivery._make, json.dumps(list(keys)))

    def body_of_message(self, message: int) -> str:
        """The whole text of a message; empty when there is none."""
        return self._text("body_of_message", message)
