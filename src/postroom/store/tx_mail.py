"""Messages and deliveries. `post` puts mail into a mailbox, `move` is the only other way it changes."""

import json
from dataclasses import dataclass, replace
from typing import cast

from postroom.domain.chain import Chain, ChainLimits
from postroom.domain.event import EventKind
from postroom.domain.keys import ChainKey, DeliveryKey, MessageKey, NodeKey, TurnKey
from postroom.domain.message import Delivery, Kind, Mode, Reason, State
from postroom.domain.receipt import Code
from postroom.errors import IllegalMove
from postroom.rules import lifecycle
from postroom.store.rows import Mail, PeerRow, RecipientRow, SenderRow, SentRow, delivery, mail
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message about to be posted: everything but its keys and its place."""

    kind: Kind
    mode: Mode
    body: str
    chain: ChainKey
    facts: str = ""
    sender: int | None = None
    sender_session: int | None = None
    sender_address: str = ""
    sender_turn: int | None = None
    call: int | None = None
    client_id: str | None = None
    task: int | None = None
    reply_to: int | None = None
    messages: int = 0
    generations: int = 0
    actor: str = "system"
    owes: bool = False
    """Its sender is owed an answer."""
    profile: str = ""
    """As whom the recipient is to run; empty: as itself."""
    goes_on: bool = False
    """It does not end its call, which waits for what comes of it."""
    keeps_outbox: bool = False
    """Its sender's log says that it was delivered."""
    expires_us: int | None = None
    """Wall time after which nobody is to begin to read it."""


_ENDS = frozenset({State.CONSUMED, State.DISCARDED, State.UNDELIVERED})


class MailTx(LogTx):
    """Mail in the store."""

    __slots__ = ()

    def sender_of_call(self, call: int) -> SenderRow | None:
        """The executing turn behind a call (G5: the sender is never an argument)."""
        return self._find("sender_of_call", SenderRow._make, call)

    def recipient_by_handle(self, sender: int | None, root: int, handle: str) -> RecipientRow | None:
        """A peer of one tree by its exact handle."""
        return self._find("recipient_by_handle", RecipientRow._make, sender, root, handle)

    def recipient_by_public_id(self, sender: int | None, public_id: str) -> RecipientRow | None:
        """The active branch of a session by its public id."""
        return self._find("recipient_by_public_id", RecipientRow._make, sender, public_id)

    def recipient_by_branch(self, sender: int | None, branch: int) -> RecipientRow:
        """A branch that is known to exist."""
        return self._known("recipient_by_branch", "branch", RecipientRow._make, sender, branch)

    def peers_of_tree(self, root: int, but: int) -> list[PeerRow]:
        """Every other agent of a tree."""
        return self._each("peers_of_tree", PeerRow._make, root, but)

    def message_of_client(self, client_id: str) -> SentRow | None:
        """The message that a client's own id names."""
        return self._find("message_of_client", SentRow._make, client_id)

    def message_of_call(self, message: int) -> SentRow | None:
        """The message that a call sent."""
        return self._find("message_of_call", SentRow._make, message)

    def sent_of_message(self, message: int) -> list[SentRow]:
        """The same for each of its recipients, in the order in which they were named."""
        return self._each("message_of_call", SentRow._make, message)

    def message_by_public_id(self, public_id: str) -> Row | None:
        """(key, public id, kind, mode, body, sender branch, chain, created) of one message."""
        return self._one("message_by_public_id", public_id)

    def post(self, letter: Letter, to: RecipientRow, recipient_state: str) -> tuple[MessageKey, str]:
        """Insert message, delivery, counters and events; the caller has decided that it may."""
        message, public_id = self.insert_message(letter)
        self.deliver(message, letter, to, recipient_state)
        return message, public_id

    def deliver(self, message: MessageKey, letter: Letter, to: RecipientRow, recipient_state: str) -> None:
        """A message that is written enters a mailbox; of a group send it does so once for each recipient."""
        kind, mode = str(letter.kind), str(letter.mode)
        seq = to.mailbox_seq + 1
        delivery = self._insert(
            "insert_delivery", message, to.branch, letter.sender, kind, mode, seq,
            str(recipient_state), self.now_us, to.rounds, letter.expires_us,
        )  # fmt: skip
        n = lifecycle.counts(letter.kind, letter.mode, State.ACCEPTED, parked=False)
        self._do("count_accepted", seq, n.steer, n.queue, n.notice, n.cap, to.branch)
        if n.cap and letter.sender is not None:
            self._do("add_to_pair", letter.sender, to.branch, 1, 0)
        self._log_post(letter, to, message, delivery, seq)

    def insert_message(self, letter: Letter) -> tuple[MessageKey, str]:
        """What a sender wrote, immutable from here on; `post` and `hold` say how it stands."""
        public_id = self.new_id()
        key = self._insert(
            "insert_message", public_id, str(letter.kind), str(letter.mode), letter.body, letter.facts,
            letter.sender, letter.sender_address, letter.sender_turn, letter.call, letter.client_id,
            letter.task, letter.reply_to, letter.chain, letter.messages, letter.generations, self.now_us,
            int(letter.owes), letter.profile,
        )  # fmt: skip
        return MessageKey(key), public_id

    def _log_post(self, letter: Letter, to: RecipientRow, message: int, delivery: int, seq: int) -> None:
        """`message.sent`, for an outbox `message.delivered`, and `message.accepted`, in this order."""
        if letter.sender_session is not None:
            self.log_sent(letter, message, to.branch)
            if letter.keeps_outbox:
                ids = (message, delivery, to.branch)
                self.log_delivered(letter.sender_session, ids, letter.actor, letter.sender_turn)
        facts = (message, delivery, letter.sender, letter.kind, letter.mode, seq, letter.expires_us)
        self.log_accepted(to, facts, letter.actor)

    def log_sent(self, letter: Letter, message: int, to: int) -> None:
        """`message.sent` in the sender's log."""
        assert letter.sender_session is not None  # noqa: S101 -- only agents have one
        waits = ',"waits":1' if letter.goes_on else ""
        what = f'"call":{letter.call or "null"},"kind":"{letter.kind}"{waits}'
        sent = f'{{"message":{message},"to":{to},{what}}}'
        actor, turn = letter.actor, letter.sender_turn
        self.event(letter.sender_session, EventKind.MESSAGE_SENT, sent, actor=actor, turn=turn)

    def log_delivered(self, session: int, ids: tuple[int, int, int], actor: str, turn: int | None) -> None:
        """`message.delivered` in the sender's log: message, delivery and to whom."""
        message, delivery, to = ids
        event = f'{{"message":{message},"delivery":{delivery},"to":{to}}}'
        self.event(session, EventKind.MESSAGE_DELIVERED, event, actor=actor, turn=turn)

    def log_accepted(
        self, to: RecipientRow, facts: tuple[int, int, int | None, Kind, Mode, int, int | None], actor: str
    ) -> None:
        """`message.accepted` in the recipient's log: message, delivery, sender, kind, mode, place, expiry."""
        message, delivery, sender, kind, mode, seq, expires_us = facts
        due = f',"expires_us":{expires_us}' if expires_us else ""
        accepted = (
            f'{{"message":{message},"delivery":{delivery},"branch":{to.branch},'
            f'"sender":{sender or "null"},"kind":"{kind}","mode":"{mode}","seq":{seq},'
            f'"rounds_at":{to.rounds}{due}}}'
        )
        self.event(to.session, EventKind.MESSAGE_ACCEPTED, accepted, actor=actor)

    def accepted(self, branch: int, limit: int = 256) -> list[Mail]:
        """Unread mail in acceptance order."""
        return self._each("accepted", mail, branch, limit)

    def claimed(self, turn: int) -> list[Delivery]:
        """What a turn has in its context, not answered yet."""
        return self._each("claimed", delivery, turn)

    def deliveries_of_message(self, message: int) -> list[Mail]:
        """How one message stands with its recipients."""
        return self._each("deliveries_of_message", mail, message)

    def inherited_mail(self, branch: int, number: int) -> Mail | None:
        """What stood at a place of another's mailbox and stands in this agent's conversation all the same."""
        return self._find("inherited_mail", mail, branch, number)

    def mail_numbered(self, branch: int, number: int) -> Mail | None:
        """What an agent was sent, by its number in the agent's mailbox."""
        return self._find("mail_numbered", mail, branch, number)

    def number_of(self, message: int, branch: int) -> int:
        """The number of a message in a mailbox; 0 where it is not in it."""
        return self._number("number_of", message, branch)

    def due_mail(self) -> list[Mail]:
        """Mail that has gone out of date by now, oldest due time first; not what a request has held."""
        return self._each("due_mail", mail, self.now_us)

    def next_due_mail(self) -> int | None:
        """When the next unread message goes out of date, in microseconds of wall time."""
        return self._value("next_due_mail", int)

    def claim(self, session: int, d: Delivery, turn: int, node: NodeKey | None) -> None:
        """It enters a context: its node and its state move together."""
        event = f'{{"delivery":{d.key},"turn":{turn},"node":{node or "null"}}}'
        self.event(session, EventKind.MESSAGE_CLAIMED, event, turn=turn)
        moved = replace(d, attempts=d.attempts + 1, turn=TurnKey(turn), node=node)
        self.move(d, State.CLAIMED, moved)

    def release(self, session: int, d: Delivery, *, parked: bool) -> Delivery:
        """The turn that claimed it ended without an answer; its node stays where it is."""
        event = f'{{"delivery":{d.key},"parked":{int(parked)},"node":{d.node or "null"}}}'
        self.event(session, EventKind.MESSAGE_RELEASED, event, turn=d.turn)
        after = replace(d, state=State.ACCEPTED, parked=parked, turn=None)
        self.move(d, State.ACCEPTED, after)
        return after

    def consume(self, session: int, d: Delivery, turn: int, round_: int) -> None:
        """The answer to a request that held it is committed."""
        event = f'{{"delivery":{d.key},"turn":{turn},"round":{round_}}}'
        self.event(session, EventKind.MESSAGE_CONSUMED, event, turn=turn)
        self.move(d, State.CONSUMED, d, round_=round_)

    def discard(self, session: int, d: Delivery, reason: Reason | Code) -> None:
        """It ends unread. The caller tells the sender."""
        event = f'{{"delivery":{d.key},"reason":"{reason}"}}'
        self.event(session, EventKind.MESSAGE_DISCARDED, event)
        self.move(d, State.DISCARDED, d, reason=reason)

    def reason_of(self, delivery: int) -> str:
        """Why a delivery was discarded; empty when it was not."""
        return self._text("reason_of", delivery)

    def park(self, session: int, d: Delivery) -> None:
        """It stays, visible, and opens no turn by itself."""
        event = f'{{"delivery":{d.key},"parked":1,"node":{d.node or "null"}}}'
        self.event(session, EventKind.MESSAGE_RELEASED, event)
        self._set(d, State.ACCEPTED, replace(d, parked=True), None, "")

    def unpark(self, session: int, d: Delivery) -> None:
        """It may open a turn again."""
        self.event(session, EventKind.MESSAGE_UNPARKED, f'{{"delivery":{d.key}}}')
        self._set(d, State.ACCEPTED, replace(d, parked=False), None, "")

    def move(
        self, d: Delivery, state: State, after: Delivery, *, round_: int | None = None, reason: str = ""
    ) -> None:
        """The one place where a delivery changes state: checks the edge and moves every counter."""
        if not lifecycle.is_legal(d.state, state):
            raise IllegalMove(f"delivery {d.key} may not go from {d.state} to {state}")
        self._set(d, state, after, round_, reason)

    def _set(self, d: Delivery, state: State, after: Delivery, round_: int | None, reason: str) -> None:
        ended = self.now_us if state in _ENDS else None
        self._do(
            "set_delivery", state, int(after.parked), after.attempts, after.turn, after.node, round_, reason,
            ended, d.key,
        )  # fmt: skip
        n = lifecycle.change(d, state, parked=after.parked)
        self._do("add_counts", *n, d.recipient)
        held = lifecycle.held_change(d, state)
        if (n.cap or held) and d.sender is not None:
            self._do("add_to_pair", d.sender, d.recipient, n.cap, held)

    def set_delivery_node(self, session: int, delivery: DeliveryKey, node: NodeKey | None) -> None:
        """Where a result that a blocking call returned stands in the conversation; nowhere after a revert."""
        self._do("set_delivery_node", node, delivery)
        self.event(session, EventKind.MESSAGE_PLACED, f'{{"delivery":{delivery},"node":{node or "null"}}}')

    def insert_chain(self, session: int, limits: ChainLimits) -> ChainKey:
        """A chain is born with a person's text; its limits are fixed here."""
        chain = self._insert("insert_chain", *limits)
        self.event(session, EventKind.CHAIN_BEGAN, json.dumps({"chain": chain, **limits._asdict()}))
        return ChainKey(chain)

    def chain_of(self, chain: int) -> Chain:
        """What a chain has spent and may spend."""
        row = self._known("chain_of", "chain", tuple, chain)
        turns, tokens, cost_micros, *limits = cast("tuple[int, ...]", row)
        return Chain(turns, tokens, cost_micros, ChainLimits(*limits))

    def charge_chain(self, chain: int, *, turns: int = 0, tokens: int = 0, cost_micros: int = 0) -> None:
        """A turn's cost goes to its chain."""
        self._do("charge_chain", turns, tokens, cost_micros, chain)
