"""What the person has asked for: reviewers judge a call by it, and by nothing else (systems.md 2.9).

It is the person's text that opened the turn, and what the person has typed since, from the moment that it is
accepted. What agents write never changes it by a byte (KK-22). An agent that works on a task of another one
works on what that one was asked for; both share how many calls reviewers let through.
"""

from postroom.domain.keys import MessageKey
from postroom.domain.turn import Turn
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx


def turn_of_request(tx: Tx, row: TurnRow) -> TurnRow:
    """The turn in which the person asked for what this one works on: of all dispatchers the first."""
    seen: set[MessageKey] = set()
    while (key := row.lineage) is not None and key not in seen:
        seen.add(key)
        task = tx.task_row(key)
        found = None if task is None else tx.turn_row(task.dispatcher_turn)
        if found is None:
            break
        row = found
    return row


def requested(tx: Tx, turn: Turn) -> str:
    """The person's texts, oldest first, with a blank line between two; empty if there are none."""
    row = turn_of_request(tx, tx.owned(turn.key, turn.fence))
    return "\n\n".join(tx.request_of_turn(row.turn, row.branch))
