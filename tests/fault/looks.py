"""What the tests of the cases read from a store that nobody runs."""

from pathlib import Path

from postroom.clock import SystemClock
from postroom.domain.event import EventKind
from postroom.ids import SystemIds
from postroom.observe import views
from postroom.observe.views import HistoryItem
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.testing.crash.record import Record


def mail_read(folder: Path) -> list[str]:
    """The bodies of all mail between agents in the order in which it stands in conversations."""
    record = Record(folder)
    bodies = {m.num("id"): m.txt("body") for m in record.messages if m.txt("kind") == "mail"}
    nodes = [node for branch in record.branches for node in record.path(branch)]
    return [bodies[m] for node in nodes if (m := node.key("message_id")) in bodies and m is not None]


def times_consumed(folder: Path) -> dict[str, int]:
    """Body of a mail -> how many events say that it was consumed."""
    record = Record(folder)
    bodies = {m.num("id"): m.txt("body") for m in record.messages if m.txt("kind") == "mail"}
    mails = {d.num("id"): bodies[d.num("message_id")] for d in record.deliveries if d.txt("kind") == "mail"}
    read = [e.num("delivery") for e in record.of_kind(EventKind.MESSAGE_CONSUMED)]
    return {body: read.count(delivery) for delivery, body in mails.items()}


def history_of(folder: Path, profile: str) -> list[list[HistoryItem]]:
    """The conversations of all agents of a profile, oldest agent first."""

    def look(tx: Tx) -> list[list[HistoryItem]]:
        agents = [agent for root in tx.newest_roots(9) for agent in tx.agents_of_tree(root)]
        return [views.history(tx, a.branch) for a in agents if a.profile == profile]

    store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
    try:
        return store.look(look)
    finally:
        store.close()
