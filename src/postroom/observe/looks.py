"""What a person may ask of a store: who is there, one thing in full, a page of the log.

The same functions answer through the control door and on a store that nobody runs, so both answers
are the same. What they return is JSON.
"""

import json
from dataclasses import asdict
from typing import cast

from postroom.domain.plain import Json
from postroom.errors import NotFound
from postroom.observe import views
from postroom.observe.asks import ask_rows as asks
from postroom.observe.asks import rights as read_rights
from postroom.observe.event_view import (
    EventView,
    Names,
    read_branch_events,
    read_events,
    read_session_events,
)
from postroom.observe.find import find_agent, find_message, find_session
from postroom.observe.search import search as find_words
from postroom.observe.spend import By
from postroom.observe.spend import spend as read_spend
from postroom.observe.timers import timer_list
from postroom.observe.why import why as read_why
from postroom.rules.text_json import scrub_arguments
from postroom.store.tx import Tx
from postroom.store.tx_words import Source

__all__ = [
    "By", "Names", "agents", "answer", "as_json", "asks", "log_page", "log_rows", "message", "newest_pos",
    "rights", "search", "search_lags", "show", "spend", "timers", "why",
]  # fmt: skip

MESSAGES_SHOWN = 50
"""How many of an agent's newest messages `show` lists."""
PAGE_MAX = 1000
"""The most events that one page of the log holds."""


def agents(tx: Tx, session: str | None) -> list[Json]:
    """The agents of a session's tree, or of the newest trees. Raises `NotFound`."""
    return [as_json(agent) for agent in views.agents(tx, _root(tx, session))]


def show(tx: Tx, reference: str) -> dict[str, Json]:
    """An agent with its conversation and mail, or one message. Raises `NotFound`."""
    key = find_message(tx, reference)
    if key is not None:
        return {"message": as_json(views.message(tx, key))}
    try:
        found = find_agent(tx, reference)
    except NotFound as fault:
        raise NotFound(f"{fault.message}, and no message has this id", remedy=fault.remedy) from fault
    branch_id = tx.branch_public_id(found.branch)
    agent = next(a for a in views.agents(tx, found.session.root) if a.branch_id == branch_id)
    keys = sorted(tx.messages_of_branch(found.branch, MESSAGES_SHOWN))
    return {
        "session": as_json(agent),
        "history": [as_json(item) for item in views.history(tx, found.branch)],
        "messages": [as_json(views.message(tx, key, found.branch)) for key in keys],
    }


def why(tx: Tx, reference: str) -> Json:
    """Why something happened, and what came of it. Raises `NotFound`."""
    return cast("Json", json.loads(json.dumps(as_json(read_why(tx, reference)))))  # its tuples are lists now


def answer(tx: Tx, turn: int, round_: int) -> dict[str, Json]:
    """What an agent answered in one round, by the keys that events name: its text, and what it called."""
    parts, row = tx.answer_of_round(turn, round_), tx.turn_row(turn)
    calls: list[Json] = [
        {
            "tool": call.tool, "arguments": scrub_arguments(call.arguments), "is_error": bool(call.is_error),
            "changed_by": call.changed_by or "",
        }
        for call in tx.calls_in_full(turn, round_)
    ]  # fmt: skip
    text = str(json.loads(parts)["text"]) if parts else ""
    return {"turn_id": row.public_id if row else "", "round": round_, "text": text, "calls": calls}


def rights(tx: Tx, session: str) -> Json:
    """The rights of a session's tree: mode, rules of the person, grants. Raises `NotFound`."""
    return as_json(read_rights(tx, session))


def spend(tx: Tx, by: By, session: str | None, limit: int) -> list[Json]:
    """What answers have cost, newest first, of a session's tree or of the store. Raises `NotFound`."""
    return [as_json(line) for line in read_spend(tx, by, root=_root(tx, session), limit=limit)]


def search(tx: Tx, words: str, session: str | None, limit: int) -> list[Json]:
    """Texts by their words, best first, among those in the index. Raises `NotFound` and `Refused`."""
    return [as_json(hit) for hit in find_words(tx, words, limit=limit, root=_root(tx, session))]


def search_lags(tx: Tx) -> bool:
    """Whether there are texts that the index does not have yet."""
    return any(tx.texts_to_index(source, 1) for source in Source)


def timers(tx: Tx, limit: int) -> list[Json]:
    """The texts that wait for their time, next first; of their bodies no more than the length."""
    return [as_json(timer) for timer in timer_list(tx, limit)]


def _root(tx: Tx, session: str | None) -> int | None:
    return None if session is None else find_session(tx, session).root


def log_page(tx: Tx, names: Names, session: str | None, after: int, limit: int) -> list[EventView]:
    """Events behind a `pos` of the store, or behind a `seq` of one session or one agent in it.

    Raises `NotFound`.
    """
    limit = min(limit, PAGE_MAX)
    if session is None:
        return read_events(tx, names, after, limit)
    found = find_agent(tx, session)
    if found.is_session:
        return read_session_events(tx, names, found.session.key, after, limit)
    branch_id = tx.branch_public_id(found.branch)
    return read_branch_events(tx, names, found.session.key, branch_id, after, limit)


def log_rows(tx: Tx, names: Names, session: str | None, after: int, limit: int) -> list[Json]:
    """The same as JSON."""
    return [as_json(event) for event in log_page(tx, names, session, after, limit)]


def message(tx: Tx, message_id: str) -> views.MessageView | None:
    """One message by its id."""
    key = find_message(tx, message_id)
    return None if key is None else views.message(tx, key)


def newest_pos(tx: Tx, but: int) -> int:
    """The position behind which the newest `but` events lie."""
    return max(tx.last_pos() - but, 0)


def as_json(view: object) -> Json:
    """A view as a JSON object."""
    return cast("Json", asdict(view))  # pyright: ignore[reportArgumentType] # every view is a dataclass
