"""Who reads the bus of a turn, for an agent that asks: every address that there has been, none is retired."""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey, TurnKey
from postroom.domain.receipt import Code, Refusal
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterLine:
    """One address."""

    address: str
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The addresses of a turn, in the order in which their readers were opened."""

    lines: tuple[RosterLine, ...]


def read_roster(tx: Tx, turn: TurnKey, branch: BranchKey) -> Roster | Refusal:
    """Who reads the bus on which an agent works; reads only. Refuses `no_turn`."""
    bus = tx.bus_of_turn(turn)
    if bus is None or bus.closed_us is not None:
        return Refusal(code=Code.NO_TURN)
    readers = (reader for reader in tx.readers_of_bus(bus.key) if reader.address)
    return Roster(
        lines=tuple(RosterLine(address=one.address, is_own=one.branch == branch) for one in readers)
    )
