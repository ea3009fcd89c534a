"""The bus of a turn: it opens with the turn of the entry agent, and whoever is made in that turn joins it.

Mail to a selector has no recipient when it is accepted. Who reads is known by opening a reader, which gives
an agent its address, and a cursor that stands before the first message (product.md section 3).
"""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey, MessageKey, TurnKey
from postroom.domain.receipt import Code, Refusal
from postroom.rules import selectors
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_rosters import Bus, Reader


def join_bus(tx: Tx, row: TurnRow, task: MessageKey | None) -> None:
    """Open the reader of a turn that starts, on its own bus, or on that of the turn that gave its task.

    Nothing where mail outlives turns.
    """
    if tx.policy(row.policy).mailbox != "turn":
        return
    bus = _given(tx, task)
    if bus is None:
        bus = tx.bus_row(tx.open_bus(row))
    assert bus is not None  # noqa: S101 -- it is open since the line above
    open_reader(tx, row, bus)


def open_reader(tx: Tx, row: TurnRow, bus: Bus) -> Reader:
    """The reader of a turn's agent; opened again it is the one that it was (KK-3)."""
    known = tx.reader_of_branch(bus.key, row.branch)
    if known is not None:
        return known
    if bus.turn == row.turn:
        tx.open_reader(row, bus, row.profile, row.profile, 0)
    else:
        label = selectors.label_of(row.profile)
        ordinal = tx.next_ordinal(bus.key, label)
        tx.open_reader(row, bus, selectors.address_of_run(label, ordinal), label, ordinal)
    opened = tx.reader_of_branch(bus.key, row.branch)
    assert opened is not None  # noqa: S101 -- it is open since the lines above
    return opened


def _given(tx: Tx, task: MessageKey | None) -> Bus | None:
    """The open bus of the turn that handed out a task."""
    row = tx.task_row(task) if task is not None else None
    bus = tx.bus_of_turn(row.dispatcher_turn) if row is not None else None
    return bus if bus is not None and bus.closed_us is None else None


def matched(tx: Tx, bus: Bus, selector: str, before: int | None = None) -> tuple[str, ...]:
    """The addresses that a selector means on a bus, in the order of opening.

    With `before`, those that it meant when the message at that place was written.
    """
    return tuple(
        reader.address
        for reader in tx.readers_of_bus(bus.key)
        if reader.address
        and selectors.matches(selector, reader.address)
        and (before is None or reader.opened_seq < before)
    )


def roster(tx: Tx, bus: Bus) -> tuple[str, ...]:
    """Every address of a bus, in the order of opening; those that have ended stay."""
    return matched(tx, bus, selectors.EVERYONE)


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
