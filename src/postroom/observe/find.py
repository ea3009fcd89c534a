"""Which agent, message or ask a person means: by id, or by handle in any tree."""

from postroom.domain.ask import Ask, AskState
from postroom.domain.session import Session
from postroom.errors import NotFound
from postroom.rules.naming import TAIL_CHARS
from postroom.rules.text import is_encodable
from postroom.store.tx import Tx

SHOWN_CHARS = 64
"""How much of a reference that leads nowhere is said back."""


def find_session(tx: Tx, reference: str) -> Session:
    """A session by id or handle, for the person, who may name any agent. Raises `NotFound`."""
    handled = list[Session]()
    if is_encodable(reference):
        found = tx.session_by_public_id(reference.lower())
        if found is not None:
            return found
        handled = tx.session_by_handle(reference)
    if len(handled) == 1:
        return handled[0]
    shown = reference[:SHOWN_CHARS]
    if handled:
        msg = f"{len(handled)} agents are called {shown!r}"
        raise NotFound(msg, remedy="name one by its session id, see `postroom ps --json`")
    msg = f"no agent is called {shown!r}"
    raise NotFound(msg, remedy="`postroom ps` lists the agents")


def find_message(tx: Tx, message_id: str) -> int | None:
    """The key of a message by its id."""
    if not is_encodable(message_id):
        return None
    row = tx.message_by_public_id(message_id.lower())
    return None if row is None else int(str(row[0]))


def find_ask(tx: Tx, reference: str) -> Ask:
    """An ask by its id, or by 8 or more of its last characters. Raises `NotFound`.

    One that is open comes before those that have ended.
    """
    given = reference.strip().lower()
    asks = tx.asks_by_tail(given[-TAIL_CHARS:]) if is_encodable(given) and len(given) >= TAIL_CHARS else []
    ending = [ask for ask in asks if ask.public_id.endswith(given)]
    found = [ask for ask in ending if ask.state == AskState.OPEN] or ending
    if len(found) == 1:
        return found[0]
    shown = reference[:SHOWN_CHARS]
    if found:
        msg = f"the ids of {len(found)} asks end with {shown!r}"
        raise NotFound(msg, remedy="give more of the id, see `postroom asks --json`")
    msg = f"no ask has the id {shown!r}"
    raise NotFound(msg, remedy="`postroom asks` lists those that are open, each with the end of its id")
