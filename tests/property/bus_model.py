"""What the bus of one turn must do, in as few words as possible: who may read what is said on it, once.

It knows nothing of stores or boundaries. It is told who reads, what is said and what open requests show.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.property.any_surface_model import MARKER, PERSON

EVERYONE = "everyone"


@dataclass(slots=True, eq=False)
class Said:
    """One message to a selector, and who was shown it and who has answered since."""

    sender: str
    selector: str
    number: int
    shown: set[str] = field(default_factory=set[str])
    read: set[str] = field(default_factory=set[str])

    @property
    def body(self) -> str:
        """The text that is sent."""
        return f"#{self.sender}>{self.selector.replace('#', '')}:steer:{self.number}#"

    def is_for(self, address: str) -> bool:
        """Whether a reader of this address is meant: itself, all runs of its name, or everyone."""
        return self.selector in (EVERYONE, address, address.partition("#")[0])


@dataclass(slots=True)
class Bus:
    """What is said in one turn, and the addresses that were given out in it; none is taken back."""

    addresses: list[str] = field(default_factory=list[str])
    said: list[Said] = field(default_factory=list[Said])

    def open_reader(self, label: str) -> str:
        """The address of one more run of a worker."""
        runs = sum(one.partition("#")[0] == label for one in self.addresses)
        self.addresses.append(f"{label}#{runs + 1}")
        return self.addresses[-1]

    def has(self, selector: str) -> bool:
        """Whether anybody is called so."""
        return selector == EVERYONE or any(selector in (a, a.partition("#")[0]) for a in self.addresses)

    def show(self, address: str, texts: Iterable[str], *, is_new: bool) -> None:
        """An open request: what was said for its reader, each once, in order; a new one holds all of it."""
        found = [int(one[3]) for one in MARKER.findall("".join(texts)) if one[0] != PERSON]
        own = {m.number: m for m in self.said if m.is_for(address) and m.sender != PERSON}
        here = [number for number in found if number in {m.number for m in self.said}]
        assert len(here) == len(set(here)), f"{address} was shown something twice: {here}"
        assert set(here) <= set(own), f"{address} was shown what was said to others"
        assert here == sorted(here), f"{address} reads out of order: {here}"
        for number in here:
            own[number].shown.add(address)
        assert not is_new or all(address in m.shown for m in own.values()), f"{address} was kept in the dark"

    def answered(self, address: str) -> None:
        """The open request was answered: what it held is read."""
        for one in self.said:
            if address in one.shown:
                one.read.add(address)

    def unread(self) -> set[int]:
        """What agents said and nobody has read: it is to be reported."""
        return {m.number for m in self.said if m.sender != PERSON and not m.read}
