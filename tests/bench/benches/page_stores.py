"""Stores with much to show: many conversations of the person, and one agent with a long past."""

from dataclasses import dataclass

from benches.history import NODES_OF_TASK, add_history
from benches.world import Person, Worker, make_root, make_workers, start_turns
from postroom.domain.turn import TurnState
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """Two sessions by their handles."""

    empty: str
    full: str


def add_many(tx: Tx, count: int) -> None:
    """Conversations whose agent has had one turn: a mail, four calls with their results, an answer."""
    sender = make_workers(tx, make_root(tx), 1)[0]
    for _ in range(count - 1):
        root = make_root(tx)
        agent = Worker(session=root.session, branch=root.branch, handle="")
        _take_turns(tx, root, sender, agent, 1)


def add_long(tx: Tx, nodes: int) -> Long:
    """A session in which nothing was said, and one of so many nodes."""
    root = make_root(tx)
    empty, sender, full = make_workers(tx, root, 3, first=1)
    _take_turns(tx, root, sender, full, nodes // NODES_OF_TASK)
    return Long(empty=empty.handle, full=full.handle)


def _take_turns(tx: Tx, root: Person, sender: Worker, agent: Worker, count: int) -> None:
    for _ in range(count):
        start_turns(tx, root, [agent])
        add_history(tx, root, sender, agent, NODES_OF_TASK)
        assert agent.turn is not None
        row = tx.turn_row(agent.turn.key)
        assert row is not None
        tx.end_turn(row, TurnState.FINISHED, "answered")
