"""Buses after a kill: what agents wrote was read or is in the record, what the person wrote was not lost."""

import json
from collections.abc import Iterator

from postroom.domain.message import RESUBMITTED, Kind, Reason, State
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.record import Record, Row


def ends(record: Record) -> Iterator[Finding]:
    """When all is quiet every bus is closed, and its record names exactly the mail that nobody has read."""
    for bus in record.buses:
        if not bus.has("closed_us"):
            yield Finding(trouble=Trouble.STUCK, text=f"bus {bus.num('id')} is open")
            continue
        told = [(one["sender"], one["selector"], one["text"]) for one in json.loads(bus.txt("report"))]
        unread = [
            (m.txt("sender_address"), m.txt("selector"), m.txt("body"))
            for m in record.messages
            if m.key("bus_id") == bus.num("id") and m.txt("kind") != Kind.USER and not _readers(record, m)
        ]
        if told != unread:
            text = f"the record of bus {bus.num('id')} says {told}, and nobody has read {unread}"
            yield Finding(trouble=Trouble.LOST, text=text)


def texts(record: Record) -> Iterator[Finding]:
    """A text of the person was read by the entry agent, goes on once as a turn, or ended with a stop."""
    entries = {bus.num("id"): bus.num("branch_id") for bus in record.buses}
    for message in record.messages:
        if not message.has("bus_id") or message.txt("kind") != Kind.USER:
            continue
        was_read = entries[message.num("bus_id")] in _readers(record, message)
        goes_on = sum(_holds(m, message) for m in record.messages)
        ended = any(
            d.txt("reason") == Reason.STOPPED
            for d in record.deliveries
            if d.num("message_id") == message.num("id")
        )
        if was_read + goes_on + ended != 1:
            text = f"text {message.num('id')}: read {was_read}, sent on {goes_on} times, stopped {ended}"
            yield Finding(trouble=Trouble.DOUBLED if was_read and goes_on else Trouble.LOST, text=text)


def _holds(message: Row, text: Row) -> bool:
    """Whether a message is the one by which a text went on."""
    is_one = message.txt("client_id").startswith(RESUBMITTED)
    return is_one and text.txt("body") in message.txt("body").split("\n\n")


def _readers(record: Record, message: Row) -> set[int]:
    """Who has answered a request that held it."""
    return {
        d.num("recipient_branch_id")
        for d in record.deliveries
        if d.num("message_id") == message.num("id") and d.txt("state") == State.CONSUMED
    }
