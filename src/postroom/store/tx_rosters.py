"""Buses: who reads the bus of a turn, what stands on it, and who took what."""

import json
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import (
    BranchKey,
    BusKey,
    ChainKey,
    DeliveryKey,
    MessageKey,
    ReaderKey,
    SessionKey,
    TurnKey,
)
from postroom.domain.message import NOBODY, Delivery, Kind, Mode, State
from postroom.rules import lifecycle
from postroom.store.rows import Mail, RecipientRow, TurnRow, mail
from postroom.store.tx_base import Row
from postroom.store.tx_mail import Letter, MailTx

T = TypeVar("T")
PAGE = 256
"""Messages of a bus that are read together."""


class Bus(NamedTuple):
    """The bus of a turn."""

    key: BusKey
    turn: TurnKey
    session: SessionKey
    seq: int
    """The place of its newest message."""
    closed_us: int | None


class Reader(NamedTuple):
    """An agent as it reads a bus."""

    key: ReaderKey
    bus: BusKey
    branch: BranchKey
    address: str
    """Empty for one without a name: only what goes to everyone reaches it."""
    label: str
    ordinal: int
    opened_seq: int
    """The place that was the newest when it began."""
    cursor_seq: int
    """Everything up to there was looked at."""
    is_entry: int


class Post(NamedTuple):
    """A message as it stands on its bus."""

    message: MessageKey
    public_id: str
    kind: Kind
    mode: Mode
    body: str
    selector: str
    bus: BusKey
    seq: int
    sender: BranchKey | None
    sender_address: str
    chain: ChainKey
    messages: int
    generations: int
    client_id: str | None


class RosterTx(MailTx):
    """Buses in the store."""

    __slots__ = ()

    def open_bus(self, row: TurnRow) -> BusKey:
        """The bus of a turn that starts."""
        bus = BusKey(self._insert("insert_bus", row.turn, row.session))
        self.event(row.session, EventKind.BUS_OPENED, f'{{"bus":{bus},"turn":{row.turn}}}', turn=row.turn)
        return bus

    def open_reader(self, row: TurnRow, bus: Bus, address: str, label: str, ordinal: int) -> None:
        """The agent of a turn reads a bus; it is the entry agent where the bus is that of its turn."""
        entry = int(bus.turn == row.turn)
        reader = self._insert("insert_reader", bus.key, row.branch, address, label, ordinal, bus.seq, entry)
        self._do("set_turn_bus", bus.key, row.turn)
        event = {
            "reader": reader, "bus": bus.key, "branch": row.branch, "turn": row.turn, "address": address,
            "label": label, "ordinal": ordinal, "seq": bus.seq, "entry": entry,
        }  # fmt: skip
        self.event(row.session, EventKind.READER_OPENED, json.dumps(event), turn=row.turn)

    def bus_row(self, bus: int) -> Bus | None:
        """One bus."""
        return self._find("bus_row", Bus._make, bus)

    def bus_of_turn(self, turn: int) -> Bus | None:
        """The bus on which the agent of a turn writes and reads."""
        return self._find("bus_of_turn", Bus._make, turn)

    def readers_of_bus(self, bus: int) -> list[Reader]:
        """Who reads a bus, in the order of opening."""
        return self._each("readers_of_bus", Reader._make, bus)

    def reader_of_branch(self, bus: int, branch: int) -> Reader | None:
        """How an agent reads a bus."""
        return self._find("reader_of_branch", Reader._make, bus, branch)

    def next_ordinal(self, bus: int, label: str) -> int:
        """The number of the next run of a label, from 1 on."""
        row = self._one("last_ordinal", bus, label)
        return 1 + int(str(row[0])) if row else 1

    def move_cursor(self, session: int, reader: Reader, seq: int) -> None:
        """Everything up to a place was looked at."""
        self._do("move_cursor", seq, reader.key)
        self.event(session, EventKind.BUS_READ, f'{{"reader":{reader.key},"seq":{seq}}}')

    def post_on_bus(self, letter: Letter, bus: Bus, selector: str) -> tuple[MessageKey, str]:
        """A message stands on a bus, and has no recipient yet."""
        message, public_id = self.insert_message(letter)
        seq = bus.seq + 1
        self._do("place_on_bus", selector, bus.key, seq, message)
        self._do("set_bus_seq", seq, bus.key)
        if letter.sender_session is not None:
            self.log_sent(letter, message, NOBODY)
        event = (
            f'{{"message":{message},"bus":{bus.key},"seq":{seq},"kind":"{letter.kind}",'
            f'"sender":{letter.sender or "null"}}}'
        )
        self.event(bus.session, EventKind.BUS_POSTED, event, actor=letter.actor, turn=bus.turn)
        return message, public_id

    def posts_behind(self, bus: int, seq: int, limit: int = PAGE) -> list[Post]:
        """The messages of a bus behind a place."""
        return self._each("posts_behind", _post, bus, seq, limit)

    def post_row(self, message: int) -> Post | None:
        """One message as it stands on its bus; none if it went to a mailbox."""
        return self._find("post_row", _post, message)

    def post_of_client(self, client_id: str) -> Post | None:
        """The message on a bus that a client's own id names."""
        return self._find("post_of_client", _post, client_id)

    def follow_up(self, message: int) -> MessageKey | None:
        """The message by which a text of a bus went on as the next turn of the entry agent."""
        return self._value("follow_up", MessageKey, message)

    def bind(self, post: Post, to: RecipientRow) -> Delivery:
        """A message of a bus reaches a reader: its delivery, which the caller claims at once."""
        seq, n = to.mailbox_seq + 1, lifecycle.counts(post.kind, post.mode, State.ACCEPTED, parked=False)
        key = self._insert(
            "insert_delivery", post.message, to.branch, post.sender, str(post.kind), str(post.mode), seq, "",
            self.now_us, to.rounds, None,
        )  # fmt: skip
        self._do("count_accepted", seq, n.steer, n.queue, n.notice, n.cap, to.branch)
        if n.cap and post.sender is not None:
            self._do("add_to_pair", post.sender, to.branch, 1, 0)
        actor = "person" if post.sender is None else actor_of(post.sender)
        facts = (post.message, key, post.sender, post.kind, post.mode, seq, None)
        self.log_accepted(to, facts, actor)
        return as_delivery(post, to.branch, DeliveryKey(key), seq)

    def deliveries_of_bus(self, bus: int) -> list[Mail]:
        """What readers took of the messages of a bus."""
        return self._each("deliveries_of_bus", mail, bus)

    def claims_of_bus(self, turn: int) -> frozenset[int]:
        """Which claims of a turn are of messages on a bus."""
        return frozenset(int(str(r[0])) for r in self._all("claims_of_bus", turn))

    def leave_undelivered(self, session: int, d: Delivery) -> None:
        """A reader that took it has not answered, and will not."""
        self.event(session, EventKind.MESSAGE_UNDELIVERED, f'{{"delivery":{d.key}}}')
        self.move(d, State.UNDELIVERED, d)

    def strand(self, session: int, post: Post, state: State, reason: str = "") -> None:
        """A message that nobody took ends: undelivered, or discarded for a reason."""
        key = self._insert(
            "insert_stranded", post.message, NOBODY, post.sender, str(post.kind), str(post.mode), str(state),
            reason, self.now_us, self.now_us,
        )  # fmt: skip
        kind = EventKind.MESSAGE_DISCARDED if reason else EventKind.MESSAGE_UNDELIVERED
        event = {
            "delivery": key, "message": post.message, "branch": NOBODY, "sender": post.sender,
            "kind": post.kind, "mode": post.mode, "reason": reason,
        }  # fmt: skip
        self.event(session, kind, json.dumps(event))

    def close_bus(self, bus: Bus, report: str, unread: int) -> None:
        """Nobody writes on it any more; `report` is what nobody read, as JSON."""
        self._do("close_bus", self.now_us, report, bus.key)
        event = f'{{"bus":{bus.key},"unread":{unread}}}'
        self.event(bus.session, EventKind.BUS_CLOSED, event, turn=bus.turn)

    def bus_report(self, turn: int) -> str:
        """What nobody read of the bus that a turn opened, as a JSON list."""
        row = self._one("bus_report", turn)
        return "[]" if row is None else str(row[1])

    def tasks_of_bus(self, bus: int) -> list[MessageKey]:
        """What agents of a bus have handed out and what has not ended, the newest first."""
        return self._values("tasks_of_bus", MessageKey, bus)

    def grow_turn(self, row: TurnRow, rounds_max: int, extensions: int) -> None:
        """The rounds of a turn begin anew."""
        self._do("grow_turn", rounds_max, extensions, row.turn)
        event = f'{{"turn":{row.turn},"rounds_max":{rounds_max},"extensions":{extensions}}}'
        self.event(row.session, EventKind.TURN_GREW, event, turn=row.turn)

    def apart(self, act: Callable[[], T]) -> T:
        """What `act` gives. What it raises takes back all that it wrote, and nothing of what was before."""
        seqs = dict(self.caches.seqs)
        self._run("SAVEPOINT apart")
        try:
            found = act()
        except BaseException:
            self._run("ROLLBACK TO apart")
            self._run("RELEASE apart")
            self.caches.seqs.clear()
            self.caches.seqs.update(seqs)
            raise
        self._run("RELEASE apart")
        return found


def as_delivery(post: Post, branch: BranchKey, key: DeliveryKey, seq: int) -> Delivery:
    """A message of a bus as it stands with a reader that has just got it."""
    return Delivery(
        key=key, message=post.message, recipient=branch, sender=post.sender, kind=post.kind, mode=post.mode,
        state=State.ACCEPTED, seq=seq, chain=post.chain, messages=post.messages,
        generations=post.generations, attempts=0, parked=False, owes=False, turn=None, node=None,
    )  # fmt: skip


def _post(row: Row) -> Post:
    message, public_id, kind, mode, *rest = row
    return Post._make((message, public_id, Kind(str(kind)), Mode(str(mode)), *rest))
