"""Small things to write and to read back."""

import threading
from collections.abc import Callable

from postroom.domain.event import Event
from postroom.domain.keys import SessionKey
from postroom.domain.policy import Policy
from postroom.store.tx import Tx
from postroom.store.tx_sessions import NewSession

ALL = 1_000_000
PATIENCE_S = 60.0


def a_session(tx: Tx) -> SessionKey:
    """A new session; its log has one event."""
    new = NewSession(
        root=None, parent=None, parent_turn=None, parent_branch=None, made_by_call=None, origin="person",
        handle=None, title="", cwd="", team="", policy=tx.keep_policy(Policy(surface="tree")), depth=0,
        profile="p",
    )  # fmt: skip
    return tx.insert_session(new)[0]


def note(tx: Tx, session: int, text: str) -> str:
    """One row and its event."""
    tx.notify_person(session, "note", text)
    return text


def notes(tx: Tx) -> list[str]:
    """Every note, in the order of its key."""
    return [row.body for row in tx.person_notices_after(0, ALL)]


def log(tx: Tx) -> list[Event]:
    """Every event."""
    return tx.events_after(0, ALL)


class Barrier:
    """Holds the writer in the middle of a transaction, after `write`, until it is opened."""

    def __init__(self, write: Callable[[Tx], object] = lambda _: None) -> None:
        self._write = write
        self.reached = threading.Event()
        self._opened = threading.Event()

    def __call__(self, tx: Tx) -> None:
        """The transaction function."""
        self._write(tx)
        self.reached.set()
        assert self._opened.wait(PATIENCE_S)

    __name__ = "barrier"

    def open(self) -> None:
        """Let it go on."""
        self._opened.set()
