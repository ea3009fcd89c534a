"""What mail should do, in as few words as possible: the model that the real thing is driven against.

It knows nothing of stores, slots or boundaries. It is told what every open request shows, and says which
sends must be refused, which agents must run, and what may never be seen twice or out of order.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

PERSON = "person"
CAP = 3
WINDOW = 2
ATTEMPTS_MAX = 5
MARKER = re.compile(r"#(\w+)>(\w+):(steer|queue):(\d+)#")


@dataclass(slots=True, eq=False)
class Letter:
    """One accepted message. `shown` once it stands in a request, `read` once that request was answered."""

    sender: str
    to: str
    mode: str
    number: int
    shown: bool = False
    claimed: bool = False
    read: bool = False
    parked: bool = False
    dropped: bool = False
    attempts: int = 0

    @property
    def body(self) -> str:
        """The text that is sent."""
        return f"#{self.sender}>{self.to}:{self.mode}:{self.number}#"

    @property
    def is_unread(self) -> bool:
        """Whether it is unacknowledged: accepted or claimed."""
        return not self.read and not self.dropped


@dataclass(slots=True)
class Mailboxes:
    """Every letter that was receipted, and who is paused by whose stop."""

    letters: list[Letter] = field(default_factory=list[Letter])
    paused: dict[str, str] = field(default_factory=dict[str, str])
    next_number: int = 0

    def draft(self, sender: str, to: str, mode: str) -> Letter:
        """A letter that is about to be sent."""
        self.next_number += 1
        return Letter(sender, to, mode, self.next_number)

    def refusal(self, letter: Letter) -> str | None:
        """The code that its sender must get, or nothing: then it must be accepted."""
        if letter.sender == PERSON:
            return None
        waiting = [m for m in self._unread(letter.to) if m.sender != PERSON]
        if len(waiting) >= CAP:
            return "inbox_full"
        return "inflight_full" if sum(m.sender == letter.sender for m in waiting) >= WINDOW else None

    def accept(self, letter: Letter) -> None:
        """It is durable now; the person's words end a pause."""
        self.letters.append(letter)
        if letter.sender == PERSON:
            self.lift(letter.to)

    def show(self, agent: str, texts: Iterable[str]) -> None:
        """What the agent's open request holds: letters in it are claimed, in an order that is legal."""
        found = MARKER.findall("".join(texts))
        assert len(found) == len(set(found)), f"{agent} was shown something twice: {found}"
        own = {m.number: m for m in self.letters if m.to == agent}
        numbers = [int(number) for *_, number in found]
        assert set(numbers) <= set(own), f"{agent} was shown mail of others, or mail that was refused"
        for letter in (own[n] for n in numbers):
            letter.shown = True
            if letter.is_unread and not letter.claimed:
                letter.claimed, letter.parked, letter.attempts = True, False, letter.attempts + 1
        self._in_order(found)
        assert all(m.shown for m in own.values() if m.read), f"{agent} lost what it had read"

    def answered(self, agent: str) -> None:
        """The open request was answered: what it held is read."""
        for letter in self._claimed(agent):
            letter.claimed, letter.read = False, True

    def died(self, agent: str, *, parks: bool, spares: bool) -> None:
        """The turn ended without an answer: what it held waits again, or is set aside."""
        for letter in self._claimed(agent):
            letter.claimed, letter.parked = False, parks
            letter.dropped = letter.attempts >= ATTEMPTS_MAX and not spares

    def stop(self, agents: Iterable[str], by: str) -> None:
        """These are paused; the first stop counts."""
        for agent in agents:
            self.paused.setdefault(agent, by)

    def lift(self, agent: str) -> None:
        """The pause of this agent ends, and of those that its stop paused."""
        self.paused = {a: by for a, by in self.paused.items() if agent not in (a, by)}

    def unpark(self, agent: str) -> None:
        """Parked mail may open a turn again, unless the agent is paused."""
        if agent not in self.paused:
            for letter in self._unread(agent):
                letter.parked = False

    def must_run(self, agent: str) -> bool:
        """Whether unread mail gives it a reason to run now."""
        return agent not in self.paused and any(not m.parked for m in self._unread(agent))

    def unread(self, agent: str) -> int:
        """How many letters its mailbox must hold that are not in an open request."""
        return sum(not m.claimed for m in self._unread(agent))

    def parked(self, agent: str) -> int:
        """How many of those open no turn by themselves."""
        return sum(m.parked for m in self._unread(agent))

    def _unread(self, agent: str) -> list[Letter]:
        return [m for m in self.letters if m.to == agent and m.is_unread]

    def _claimed(self, agent: str) -> list[Letter]:
        return [m for m in self.letters if m.to == agent and m.claimed]

    @staticmethod
    def _in_order(found: list[tuple[str, str, str, str]]) -> None:
        """Of one sender and one mode, read order is the order of the receipts (G4)."""
        last: dict[tuple[str, str], int] = {}
        for sender, _, mode, number in found:
            assert last.get((sender, mode), 0) < int(number), f"out of order: {found}"
            last[sender, mode] = int(number)
