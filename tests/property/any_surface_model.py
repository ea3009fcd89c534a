"""What mail between agents of any surface must do, in as few words as possible, and what nobody may read.

It knows nothing of stores, slots or boundaries. It is told what the agents and the person do and what every
open request shows; it says which sends must be refused, how every letter stands, and who must run.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

PERSON = "person"
ATTEMPTS_MAX = 5
MARKER = re.compile(r"#(\w+)>([\w+]+):(steer|queue):(\d+)#")


class Ways(NamedTuple):
    """What the column of a surface says of mail (product.md section 5)."""

    cap: int | None = None  # unread mail of agents in a mailbox; one more is refused
    drops: int | None = None  # mail of agents that waits there; for one more the oldest goes
    window: int | None = None  # unread mail of one sender to one recipient
    pair: int | None = None  # the same, with what is held
    is_answered: bool = False  # by the runtime: an end without an answer is told, and not read again
    clears: bool = False  # the person's stop empties a mailbox of what agents wrote
    resumes: bool = False  # another process goes on with a turn whose host has died


WAYS: Mapping[str, Ways] = {
    "tree": Ways(cap=3, window=2), "branch": Ways(drops=3, is_answered=True, clears=True),
    "peer": Ways(pair=2), "team": Ways(cap=3, window=2, resumes=True),
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Letter:
    """One message at one recipient. `state` is held, accepted, claimed, read or dropped."""

    sender: str
    to: str
    mode: str
    number: int
    group: str
    owes: bool = False
    state: str = "accepted"
    is_parked: bool = False
    is_shown: bool = False  # it stands in the conversation of its reader
    is_gone: bool = False  # it was read, and then the part of the conversation was left or summed up
    attempts: int = 0

    @property
    def body(self) -> str:
        """The text that is sent."""
        return f"#{self.sender}>{self.group}:{self.mode}:{self.number}#"


@dataclass(slots=True)
class Post:
    """Every letter, who is paused by whose stop, and whose conversation was cut since it was last seen."""

    ways: Mapping[str, Ways]
    letters: list[Letter] = field(default_factory=list[Letter])
    paused: dict[str, str] = field(default_factory=dict[str, str])
    cut: set[str] = field(default_factory=set[str])
    archived: set[str] = field(default_factory=set[str])
    next_number: int = 0

    def draft(self, sender: str, to: Iterable[str], mode: str) -> list[Letter]:
        """A message that is about to be sent, with a letter for each recipient."""
        self.next_number += 1
        owes, names = sender != PERSON and self.ways[sender].is_answered, list(to)
        return [Letter(sender, one, mode, self.next_number, "+".join(names), owes) for one in names]

    def is_full(self, letter: Letter, *, holds: bool = False) -> bool:
        """Whether a letter of an agent must be refused now because of what lies unread, also to be held."""
        ways = self.ways[letter.to]
        waiting = [m for m in self._of(letter.to, "accepted", "claimed") if m.sender != PERSON]
        own = [m for m in waiting if m.sender == letter.sender]
        held = [m for m in self._of(letter.to, "held") if m.sender == letter.sender and m is not letter]
        counts = [(ways.pair, own + held)]
        counts += [] if holds else [(ways.cap, waiting), (ways.window, own)]
        return any(most is not None and len(found) >= most for most, found in counts)

    def accept(self, letter: Letter) -> None:
        """It is durable now. The person's words end a pause; the oldest may have to go."""
        drops = self.ways[letter.to].drops
        waiting = [m for m in self._of(letter.to, "accepted") if m.sender != PERSON]
        if letter.sender != PERSON and drops is not None and len(waiting) >= drops:
            waiting[0].state = "dropped"
        letter.state = "accepted"
        self.letters = [*(m for m in self.letters if m is not letter), letter]
        if letter.sender == PERSON:
            self.lift(letter.to)

    def hold(self, letter: Letter) -> None:
        """It is durable with its sender."""
        letter.state = "held"
        self.letters.append(letter)

    def first_held(self) -> Letter | None:
        """The oldest that waits for leave."""
        return next((m for m in self.letters if m.state == "held"), None)

    def claim(self, agent: str, numbers: Iterable[int]) -> None:
        """What the store says that the open request of an agent took: only what waited for it."""
        wanted = set(numbers)
        for letter in (m for m in self.letters if m.to == agent and m.number in wanted):
            if letter.state != "claimed":
                assert letter.state == "accepted", f"{letter.body} was taken though it is {letter.state}"
                assert agent not in self.paused, f"{agent} takes mail though it is paused"
                letter.state, letter.is_parked, letter.attempts = "claimed", False, letter.attempts + 1

    def show(self, agent: str, texts: Iterable[str]) -> None:
        """What the open request of an agent holds: all that it took or has read, each once, in order."""
        found = [one for one in MARKER.findall("".join(texts)) if one[0] != agent]  # it is told of its own
        assert len(found) == len(set(found)), f"{agent} was shown something twice: {found}"
        own, numbers = {m.number: m for m in self.letters if m.to == agent}, {int(one[3]) for one in found}
        assert numbers <= set(own), f"{agent} was shown mail of others, or mail that was refused"
        for letter in own.values():
            if letter.number in numbers:
                assert not letter.is_gone, f"{agent} was shown {letter.body} again"
                assert letter.is_shown or letter.state == "claimed", f"{letter.body} came out of nowhere"
                letter.is_shown = True
            else:
                assert letter.state != "claimed", f"{agent} has taken {letter.body} and does not see it"
                assert not letter.is_shown or agent in self.cut, f"{agent} has lost {letter.body}"
                letter.is_gone = letter.is_gone or (letter.is_shown and letter.state != "accepted")
                letter.is_shown = False
        self.cut.discard(agent)
        last: dict[tuple[str, str], int] = {}
        for sender, _, mode, number in found:
            assert last.get((sender, mode), 0) < int(number), f"out of order (G4): {found}"
            last[sender, mode] = int(number)

    def answered(self, agent: str) -> None:
        """The open request was answered: what it held is read."""
        for letter in self._of(agent, "claimed"):
            letter.state = "read"

    def died(self, agent: str, *, parks: bool, spares: bool) -> None:
        """The turn ended without an answer: what it held waits again, is set aside, or is answered so."""
        for letter in self._of(agent, "claimed"):
            letter.state, letter.is_parked = "accepted", parks
            is_poison = letter.attempts >= ATTEMPTS_MAX and not spares
            if (letter.owes and parks) or is_poison or agent in self.archived:
                letter.state = "dropped"

    def host_died(self, agent: str) -> None:
        """Its turn is interrupted, unless another process goes on with it; parked mail is read."""
        if not self.ways[agent].resumes:
            self.died(agent, parks=False, spares=False)
        self.unpark(agent)

    def stop(self, agents: Iterable[str], by: str) -> None:
        """These are paused; the first stop counts, and may empty their mailboxes."""
        for agent in (a for a in agents if a not in self.paused):
            self.died(agent, parks=False, spares=True)
            self.paused[agent] = by
            for letter in self._of(agent, "accepted"):
                if self.ways[agent].clears and letter.sender != PERSON:
                    letter.state = "dropped"

    def lift(self, agent: str) -> None:
        """The pause of this agent ends, and of those that its stop paused."""
        self.paused = {a: by for a, by in self.paused.items() if agent not in (a, by)}

    def unpark(self, agent: str) -> None:
        """Parked mail may open a turn again, unless the agent is paused."""
        for letter in self._of(agent, "accepted"):
            letter.is_parked = letter.is_parked and agent in self.paused

    def retire(self, agent: str) -> None:
        """It is archived: what it has not taken is not read any more."""
        self.archived.add(agent)
        for letter in self._of(agent, "accepted"):
            letter.state = "dropped"

    def must_run(self, agent: str) -> bool:
        """Whether unread mail gives it a reason to run now."""
        return agent not in self.paused and any(not m.is_parked for m in self._of(agent, "accepted"))

    def stands(self) -> dict[tuple[int, str], str]:
        """How every letter must stand in the store, by number and recipient."""
        return {(m.number, m.to): m.state for m in self.letters}

    def _of(self, agent: str, *states: str) -> list[Letter]:
        return [m for m in self.letters if m.to == agent and m.state in states]
