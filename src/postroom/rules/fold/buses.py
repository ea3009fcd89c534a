"""Folding the events of buses: who reads one, what stands on it, and how long its turn may go on."""

from postroom.domain.message import NOBODY, Kind, Mode, State
from postroom.rules import lifecycle
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable, delivery_of, known, put_delivery, turn_of


def opened(state: Folded, facts: Facts) -> None:
    """`bus.opened`: with the turn that it belongs to."""
    turn = facts.key("turn")
    state.buses[facts.key("bus")] = rows.Bus(turn=turn, session=turn_of(state, turn).session)


def reader_opened(state: Folded, facts: Facts) -> None:
    """`reader.opened`: an agent reads the bus in this turn."""
    bus, turn = facts.key("bus"), facts.key("turn")
    known(state.buses, bus, f"bus {bus} was never opened")
    state.readers[facts.key("reader")] = rows.Reader(
        bus=bus, branch=facts.key("branch"), address=facts.word("address"), label=facts.word("label"),
        ordinal=facts.key("ordinal"), opened_seq=facts.key("seq"), entry=facts.key("entry"),
    )  # fmt: skip
    state.turns[turn] = turn_of(state, turn)._replace(bus=bus)


def posted(state: Folded, facts: Facts) -> None:
    """`bus.posted`: a message stands on an open bus, at the next place."""
    message, bus, seq = facts.key("message"), facts.key("bus"), facts.key("seq")
    row = known(state.buses, bus, f"bus {bus} was never opened")
    if row.closed or seq != row.seq + 1:
        raise NotFoldable(f"place {seq} does not follow place {row.seq} of bus {bus}, or the bus is closed")
    state.posted[message] = bus
    state.buses[bus] = row._replace(seq=seq)


def read(state: Folded, facts: Facts) -> None:
    """`bus.read`: everything up to a place was looked at."""
    key, seq = facts.key("reader"), facts.key("seq")
    row = known(state.readers, key, f"reader {key} was never opened")
    if seq <= row.cursor_seq:
        raise NotFoldable(f"reader {key} goes back from place {row.cursor_seq} to {seq}")
    state.readers[key] = row._replace(cursor_seq=seq)


def closed(state: Folded, facts: Facts) -> None:
    """`bus.closed`: nothing more is written on it."""
    bus = facts.key("bus")
    row = known(state.buses, bus, f"bus {bus} was never opened")
    state.buses[bus] = row._replace(closed=1)


def grew(state: Folded, facts: Facts) -> None:
    """`turn.grew`: its rounds begin anew."""
    turn = facts.key("turn")
    state.turns[turn] = turn_of(state, turn)._replace(
        rounds_max=facts.key("rounds_max"), extensions=facts.key("extensions")
    )


def undelivered(state: Folded, facts: Facts) -> None:
    """`message.undelivered`: a reader that took it never answered; or nobody ever took it."""
    key = facts.key("delivery")
    if key not in state.deliveries:
        stranded(state, facts, State.UNDELIVERED)
        return
    row = delivery_of(state, key)
    if not lifecycle.is_legal(State(row.state), State.UNDELIVERED):
        raise NotFoldable(f"delivery {key} may not be undelivered: it is {row.state}")
    put_delivery(state, key, row._replace(state=State.UNDELIVERED.value))


def stranded(state: Folded, facts: Facts, end: State) -> None:
    """A message of a bus that no reader took, as it ended: it was in nobody's mailbox."""
    message = facts.key("message")
    known(state.posted, message, f"message {message} stands on no bus")
    state.accepted.setdefault(message, set()).add(NOBODY)
    state.deliveries[facts.key("delivery")] = rows.Delivery(
        message=message, branch=NOBODY, sender=facts.maybe("sender"), kind=Kind(facts.word("kind")).value,
        mode=Mode(facts.word("mode")).value, seq=0, state=end.value, reason=facts.word("reason"),
    )  # fmt: skip


def afloat(state: Folded) -> set[int]:
    """Messages that stand on a bus which is open: their deliveries are written when readers take them."""
    return {message for message, bus in state.posted.items() if not state.buses[bus].closed}
