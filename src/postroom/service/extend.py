"""A gate keeps a turn from ending: what it says is read in the same turn, at once.

The gates are asked before the answer is committed; the commit decides. Mail that may join comes first: then
the turn goes on with that, and the gates are asked again when it is about to end the next time (G3).
"""

import json
from dataclasses import asdict, dataclass
from typing import Final, NamedTuple

from postroom.domain.keys import BranchKey, SessionKey, TurnKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts, Node
from postroom.domain.receipt import RecipientState
from postroom.service.hooks import plugin_address
from postroom.service.take import Boundary, take
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

EXTENSIONS_MAX: Final = 5
"""How often gates may keep one turn from ending (G3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What keeps a turn from ending: which hooks, and why."""

    by: str
    reason: str


class Extensions(NamedTuple):
    """Whether the gates are to be asked of a turn, and whether they have kept it before."""

    may_ask: bool
    kept: int


def extensions(tx: Tx, turn: TurnKey, session: SessionKey) -> Extensions:
    """A session that works on a goal is not asked: its reminders keep it going."""
    row = tx.turn_row(turn)
    kept = row.stop_asks if row is not None else EXTENSIONS_MAX
    has_goal = tx.open_goal(tx.session_row(session).active_branch) is not None
    return Extensions(kept < EXTENSIONS_MAX and not has_goal, kept)


def extend(tx: Tx, row: TurnRow, boundary: Boundary, held: Held) -> tuple[Node, ...]:
    """Post the reason and read it in one step. Chain and path numbers stay those of the turn."""
    address = plugin_address(held.by)
    letter = Letter(
        kind=Kind.PLUGIN, mode=Mode.STEER, body=held.reason, actor=address, sender_address=address,
        facts=json.dumps(asdict(MailFacts(kind=Kind.PLUGIN, sender=address))), chain=row.chain,
        messages=row.messages, generations=row.generations,
    )  # fmt: skip
    to = tx.recipient_by_branch(None, BranchKey(row.branch))
    message, _ = tx.post(letter, to, RecipientState.RUNNING)
    tx.extend_turn(row, held.by, message)
    (mail,) = tx.deliveries_of_message(message)
    return take(tx, boundary, (mail,), opener=mail)
