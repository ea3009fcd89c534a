"""Work that outlives its call, the person's timed texts, and what answers have cost."""

from typing import NamedTuple

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import BranchKey, ChainKey, ProducerKey, SessionKey, TimerKey, TurnKey
from postroom.domain.message import Mode
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx

DAY_US = 86_400_000_000


class ProducerRow(NamedTuple):
    """Work in progress, and the turn in whose chain its end is told."""

    producer: ProducerKey
    branch: BranchKey
    turn: TurnKey
    call: int
    label: str
    state: str
    turn_state: str
    chain: ChainKey
    messages: int
    generations: int
    session: SessionKey


class TimerRow(NamedTuple):
    """A text of the person that is to be said at `due_us`."""

    timer: TimerKey
    public_id: str
    branch: BranchKey
    mode: Mode
    body: str
    state: str
    due_us: int


class TimerView(NamedTuple):
    """A timed text as the person sees it; `to` is what names the agent."""

    timer_id: str
    due_us: int
    mode: str
    body: str
    to: str
    session_id: str


class Spent(NamedTuple):
    """Sums over some answers. `unpriced`: how many of them had no known price."""

    rounds: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_micros: int
    unpriced: int


class WorkTx(LogTx):
    """Producers, timers and spend."""

    __slots__ = ()

    def insert_producer(self, session: int, branch: int, turn: int, call: int, label: str) -> ProducerKey:
        """Work is about to begin."""
        key = self._insert("insert_producer", branch, turn, call, label, self.now_us)
        event = f'{{"producer":{key},"branch":{branch},"turn":{turn},"call":{call}}}'
        self.event(session, EventKind.WORK_BEGAN, event, actor=actor_of(branch), turn=turn)
        return ProducerKey(key)

    def producer_row(self, producer: int) -> ProducerRow | None:
        """One piece of work."""
        return self._find("producer_row", ProducerRow._make, producer)

    def end_producer(self, session: int, producer: int, message: int) -> None:
        """It has ended; the message tells how."""
        self._do("end_producer", message, self.now_us, producer)
        self.event(session, EventKind.WORK_ENDED, f'{{"producer":{producer},"message":{message}}}')

    def open_producers(self) -> list[ProducerKey]:
        """What a dead process was working on."""
        return self._values("open_producers", ProducerKey)

    def open_producers_of_branch(self, branch: int) -> list[ProducerKey]:
        """What is being worked on for one agent."""
        return self._values("open_producers_of_branch", ProducerKey, branch)

    def open_producers_of_turn(self, turn: int) -> list[ProducerKey]:
        """What one turn has begun and has not ended yet."""
        return self._values("open_producers_of_turn", ProducerKey, turn)

    def insert_timer(
        self, session: int, branch: int, mode: Mode, body: str, client_id: str | None, due_us: int
    ) -> TimerRow:
        """A text waits for its time."""
        public_id = self.new_id()
        key = self._insert("insert_timer", public_id, branch, str(mode), body, client_id, due_us, self.now_us)
        event = f'{{"timer":{key},"branch":{branch},"due_us":{due_us}}}'
        self.event(session, EventKind.TIMER_SET, event, actor="person")
        return TimerRow(TimerKey(key), public_id, BranchKey(branch), mode, body, "set", due_us)

    def timer_by_public_id(self, public_id: str) -> TimerRow | None:
        """One timed text by its id."""
        return self._find("timer_by_public_id", _timer, public_id)

    def timer_by_client(self, client_id: str) -> TimerRow | None:
        """The timed text that a client's own id names."""
        return self._find("timer_by_client", _timer, client_id)

    def due_timers(self, limit: int = 100) -> list[TimerRow]:
        """Texts whose time has come, oldest first."""
        return self._each("due_timers", _timer, self.now_us, limit)

    def next_due(self) -> int | None:
        """When the next timed text is due, in microseconds of wall time."""
        return self._value("next_due", int)

    def set_timers(self, limit: int) -> list[TimerView]:
        """The texts that wait, next first."""
        return self._each("set_timers", TimerView._make, limit)

    def end_timer(self, session: int, timer: int, state: str, message: int | None = None) -> None:
        """It was said (`fired`) or taken back (`cancelled`)."""
        self._do("end_timer", state, message, timer)
        event = f'{{"timer":{timer},"state":"{state}","message":{message or "null"}}}'
        self.event(session, EventKind.TIMER_ENDED, event, actor="person" if message is None else "system")

    def add_spend(self, branch: int, chain: int, spent: Spent) -> int:
        """What one answer cost; the day that it was booked on."""
        day = self.now_us // DAY_US
        self._do("add_spend", branch, chain, day, *spent)
        return day

    def spend_of_tree(self, root: int) -> list[tuple[str, str, Spent]]:
        """(session id or address, name, sums) of every agent of a tree that has spent something."""
        return [(str(a), str(b), Spent._make(rest)) for a, b, *rest in self._all("spend_of_tree", root)]

    def chains_of_tree(self, root: int) -> list[int]:
        """The chains that a tree has worked in, newest first."""
        return self._values("chains_of_tree", int, root)

    def chain_before(self, chain: int) -> int | None:
        """The newest chain before a key in which something was spent."""
        return self._value("chain_before", int, chain)

    def spend_of_chain(self, chain: int) -> tuple[Spent, int]:
        """What a chain has cost, and the branch where it began."""
        found = list(self._one("spend_of_chain", chain) or ())
        return Spent._make(found[:-1]), _int(found[-1])

    def opening_text(self, branch: int, chain: int) -> str:
        """What the person wrote to open the first turn of a branch in a chain; empty where nobody did."""
        return self._text("opening_text", branch, chain)

    def day_before(self, day: int) -> int | None:
        """The newest day before a day on which something was spent."""
        return self._value("day_before", int, day)

    def spend_of_day(self, day: int) -> Spent:
        """What one day has cost."""
        return Spent._make(self._one("spend_of_day", day) or ())

    def days_of_tree(self, root: int) -> list[int]:
        """The days on which a tree has spent something, newest first."""
        return self._values("days_of_tree", int, root)

    def spend_of_tree_on(self, root: int, day: int) -> Spent:
        """What one tree has cost on one day."""
        return Spent._make(self._one("spend_of_tree_on", root, day) or ())


def _timer(row: Row) -> TimerRow:
    return TimerRow._make(row)._replace(mode=Mode(str(row[3])))


def _int(value: object) -> int:
    return int(str(value))
