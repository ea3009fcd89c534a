"""Mail after a kill: every promise kept, every message with one delivery, every delivery on a legal road."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from postroom.domain.event import EventKind
from postroom.domain.message import RESUBMITTED, Kind, State
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.journal import RECEIPT, Journal
from postroom.testing.crash.record import Logged, Record, Row

SEND_TOOL = "send_message"
ON_BUS = "Accepted for "
"""How a receipt begins that names no message."""


def _lost(text: str) -> Finding:
    return Finding(trouble=Trouble.LOST, text=text)


def _doubled(text: str) -> Finding:
    return Finding(trouble=Trouble.DOUBLED, text=text)


def promises(record: Record, journal: Journal) -> Iterator[Finding]:
    """Whoever was told an id finds it: the person her own words, a model the message it sent."""
    by_id = {m.txt("public_id"): m for m in record.messages}
    first: dict[str, str] = {}
    pruned = record.pruned
    for entry in journal.entries("told"):
        client, told = str(entry["client_id"]), str(entry["message_id"])
        message = by_id.get(told)
        gone = message is not None and message.num("id") in pruned and not message.txt("body")
        same = message is not None and (gone or message.txt("body") == entry["body"])
        if message is None or not same or message.txt("client_id") != client:
            yield _lost(f"the person was told {told} for {client}; the store does not hold it so")
        if first.setdefault(client, told) != told:
            yield _doubled(f"the person was told two ids for {client}")
    yield from _spoken(record, journal, set(first))


def _spoken(record: Record, journal: Journal, clients: set[str]) -> Iterator[Finding]:
    """What stands as the person's she has said, once; what was to be said later was, unless taken back."""
    most = {str(entry["body"]): 0 if entry["never"] else 1 for entry in journal.entries("timed")}
    said = dict.fromkeys(most, 0)
    for message in record.messages:
        if message.txt("kind") != Kind.USER or message.txt("client_id") in clients:
            continue
        if message.txt("client_id").removeprefix(RESUBMITTED) in clients:
            continue
        if message.txt("body") not in said:
            yield _doubled(f"message {message.num('id')} is the person's, who has said nothing of the kind")
        else:
            said[message.txt("body")] += 1
    for body, times in most.items():
        if said[body] != times:
            found = _doubled if said[body] > times else _lost
            yield found(f"{body!r} was to be said {times} times later and was said {said[body]} times")


def deliveries(record: Record) -> Iterator[Finding]:
    """One message, one delivery for each recipient, one event that says it was accepted; none, if it was held
    and never went, or stood on a bus and was taken by nobody.
    """
    of_message = Counter(d.num("message_id") for d in record.deliveries)
    of_reader = Counter((d.num("message_id"), d.num("recipient_branch_id")) for d in record.deliveries)
    accepted = Counter(e.num("delivery") for e in record.of_kind(EventKind.MESSAGE_ACCEPTED))
    for message in record.messages:
        found = of_message[message.num("id")]
        if found == 0:
            yield _lost(f"message {message.num('id')} has no delivery")
    for (message_id, reader), times in of_reader.items():
        if times > 1:
            yield _doubled(f"message {message_id} has {times} deliveries to branch {reader}")
    for delivery in record.deliveries:
        if accepted[delivery.num("id")] != (1 if delivery.num("seq") else 0):
            text = f"delivery {delivery.num('id')} was accepted {accepted[delivery.num('id')]} times"
            yield Finding(trouble=Trouble.INVALID, text=text)


def sends(record: Record) -> Iterator[Finding]:
    """A call that says "accepted" has posted exactly the message that it names, and nothing else."""
    by_id = {m.txt("public_id"): m for m in record.messages}
    of_call = Counter(m.num("call_id") for m in record.messages if m.has("call_id"))
    for call in record.calls:
        key = call.num("id")
        if of_call[key] > 1:
            yield _doubled(f"call {key} has sent {of_call[key]} messages")
        named = RECEIPT.search(call.txt("result")) if call.txt("tool") == SEND_TOOL else None
        message = by_id.get(named[1]) if named else None
        if named and (message is None or message.key("call_id") != key):
            yield _lost(f"call {key} says {named[1]} was accepted; it has not sent that")
        is_on_bus = named is None and call.txt("result").startswith(ON_BUS)
        if of_call[key] and call.txt("tool") == SEND_TOOL and named is None and not is_on_bus:
            yield _doubled(f"call {key} has sent a message and does not say so")


_STEPS = {
    EventKind.MESSAGE_HELD: "h",
    EventKind.MESSAGE_ACCEPTED: "a",
    EventKind.MESSAGE_CLAIMED: "c",
    EventKind.MESSAGE_RELEASED: "r",
    EventKind.MESSAGE_UNPARKED: "u",
    EventKind.MESSAGE_CONSUMED: "x",
    EventKind.MESSAGE_DISCARDED: "d",
    EventKind.MESSAGE_UNDELIVERED: "n",
}
_ROADS = re.compile(r"h(?P<held>d?)|(?P<born>[dn])|h?a(?:[pu]|cr)*(?P<end>c?x|c|d|n)?")
_ENDS = {
    "cx": State.CONSUMED, "c": State.CLAIMED, "d": State.DISCARDED, "n": State.UNDELIVERED,
    None: State.ACCEPTED,
}  # fmt: skip


def moves(record: Record) -> Iterator[Finding]:
    """The log of each delivery is a legal road, and its row stands where the road ends."""
    roads: dict[int, str] = defaultdict(str)
    for event in record.events:
        if event.kind in _STEPS and event.num("delivery"):
            roads[event.num("delivery")] += _step(event)
    for delivery in record.deliveries:
        road = roads[delivery.num("id")]
        if road.count("x") > 1:
            yield _doubled(f"delivery {delivery.num('id')} was consumed {road.count('x')} times")
        yield from _misplaced(delivery, road)


def _step(event: Logged) -> str:
    """A release without a turn only parks what was not claimed."""
    parks = event.kind == EventKind.MESSAGE_RELEASED and event.turn is None
    return "p" if parks else _STEPS[EventKind(event.kind)]


def _misplaced(delivery: Row, road: str) -> Iterator[Finding]:
    found, key = _ROADS.fullmatch(road), delivery.num("id")
    if found is None or _end(found) != delivery.txt("state"):
        text = f"delivery {key} is {delivery.txt('state')} after {road!r}"
        yield Finding(trouble=Trouble.INVALID, text=text)
    if road.count("c") != delivery.num("attempts"):
        text = f"delivery {key} counts {delivery.num('attempts')} attempts after {road!r}"
        yield Finding(trouble=Trouble.MISCOUNTED, text=text)


def _end(road: re.Match[str]) -> State | None:
    """Where a road ends; of one that was never accepted, with its sender, nowhere, or on its bus."""
    if road["held"] is not None:
        return State.DISCARDED if road["held"] else State.HELD
    return _ENDS.get(road["born"] or road["end"])


def order(record: Record) -> Iterator[Finding]:
    """G4: for one sender, one recipient and one mode, read order is the order of acceptance."""
    read: dict[tuple[int, int | None, str], list[tuple[int, int]]] = defaultdict(list)
    for d in record.deliveries:
        node = d.key("node_id")
        if d.txt("state") == State.CONSUMED and d.txt("kind") in (Kind.MAIL, Kind.USER) and node is not None:
            pair = (d.num("recipient_branch_id"), d.key("sender_branch_id"), d.txt("mode"))
            read[pair].append((d.num("seq"), node))
    for (recipient, sender, mode), places in read.items():
        nodes = [node for _, node in sorted(places)]
        if nodes != sorted(nodes):
            text = f"branch {recipient} has read {mode} mail of {sender} out of order: {sorted(places)}"
            yield Finding(trouble=Trouble.INVALID, text=text)
