"""How conversations on the bus of a turn are exported: signatures, cards, and what nobody has read.

A card is the conversation of an agent as it is seen from the call that made it (systems.md 2.10). All of it
comes from rows, so an export beside a process that works is that of the same store after its end.
"""

import json
from collections.abc import Iterator
from typing import Final

from postroom.domain.keys import TurnKey
from postroom.domain.node import Provenance, facts_of, is_joined
from postroom.domain.plain import Json
from postroom.domain.task import FINAL_STATES, Outcome, TaskState
from postroom.domain.turn import call_id
from postroom.errors import NotFound
from postroom.observe.find import find_session
from postroom.rules.naming import SHOWN_CHARS
from postroom.store.tx_export import ExportTx, MadeRow, NodeRow

Facts = dict[str, Json]
LATEST: Final = "latest"
TAIL_CHARS: Final = 6
"""The fewest last characters of an id that name a session."""
_STATUS: Final = {Outcome.SUCCEEDED: "done", Outcome.CANCELLED: "stopped"}
_FAR_FUTURE_US: Final = 1 << 62


def tree_asked_for(tx: ExportTx, reference: str) -> int:
    """The root of the tree that a person means: as every command takes it, `latest`, or the end of an id.

    Raises `NotFound`.
    """
    try:
        return find_session(tx, reference).root
    except NotFound:
        found = _newest(tx) if reference == LATEST else _by_tail(tx, reference)
        if found is None:
            raise
        return found


def _newest(tx: ExportTx) -> int | None:
    """The tree in which something has happened last."""
    rows = tx.sessions_before(_FAR_FUTURE_US, 0, 1)
    return rows[0].root if rows else None


def _by_tail(tx: ExportTx, reference: str) -> int | None:
    tail = reference.strip().lower()
    if len(tail) < TAIL_CHARS or not tail.isascii():
        return None
    found = [(key, name) for key, name in tx.sessions_by_tail(tail[-TAIL_CHARS:]) if name.endswith(tail)]
    if len(found) > 1:
        msg = f"the ids of {len(found)} sessions end with {reference[:SHOWN_CHARS]!r}"
        raise NotFound(msg, remedy=f"name one of {', '.join(name for _, name in found[:3])}")
    return find_session(tx, found[0][1]).root if found else None


def sign(node: NodeRow, *, is_made: bool) -> str:
    """Whose words an item is signed as, from its facts and never from its text.

    What the person types to begin a turn is theirs; what reaches an agent at work is a message, whoever
    wrote it, and mixed where it is both.
    """
    if node.provenance == Provenance.MIXED:
        return "mixed"
    if node.provenance == Provenance.USER:
        return "message" if is_made or node.round > 1 else "user"
    kind = facts_of(node.parts).kind
    if kind == "prompt" and not is_made:
        return "task"
    return "message" if is_joined(node.parts) or kind == "mail" else kind


def card_head(node: NodeRow, made: MadeRow) -> Facts:
    """What the first and the last record of a card have in common."""
    return {
        "session_id": made.session_id, "call_id": call_id(node.turn, node.round, made.position),
        "role": made.profile, "address": made.address, "status": status_of(made),
    }  # fmt: skip


def status_of(made: MadeRow) -> str:
    """`running`, `done`, `stopped` or `error`."""
    if TaskState(made.state) not in FINAL_STATES:
        return "running" if made.paused_by is None else "stopped"
    return _STATUS.get(Outcome(made.outcome), "error")


def undelivered(tx: ExportTx, node: NodeRow, fields: Facts) -> Iterator[Facts]:
    """What agents have written in a turn that has opened a bus and no reader took; the record of its end."""
    for one in json.loads(tx.bus_report(TurnKey(node.turn))):
        yield {
            "type": "undelivered", **fields, "turn_id": node.turn_id, "sender": one["sender"],
            "to": one["selector"], "text": one["text"], "missing_chars": one["missing"],
        }  # fmt: skip
