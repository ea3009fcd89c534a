"""Where the whole of an answer belongs whose reader will be shown head and tail only (OP-15)."""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey
from postroom.domain.turn import Turn
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.facts import Directory
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePlace:
    """Whoever reads the answer of a turn works in `cwd`, and knows the turn's cause as `reference`."""

    cwd: str
    reference: str
    limit_chars: int
    """A longer answer is not shown whole."""


def place_of_whole(tx: Tx, turn: Turn, directory: Directory) -> WholePlace | None:
    """For the answer of a turn that somebody awaits; nothing where results are not shown inline."""
    reader, reference = _reader(tx, turn)
    if reader is None:
        return None
    row = tx.recipient_by_branch(None, reader)
    policy, facts = tx.policy(row.policy), directory(row.team, row.profile)
    if policy.result_form != "inline":
        return None
    quarter_chars = policy.result_chars_max if facts is None else quarter_of(facts.window_tokens)
    return WholePlace(
        cwd=tx.cwd_of_branch(reader), reference=reference,
        limit_chars=min(policy.rendered_chars_max, policy.result_chars_max, quarter_chars),
    )  # fmt: skip


def quarter_of(window_tokens: int) -> int:
    """The most characters that one delivery may take of a window (product.md, Window and compaction)."""
    return window_tokens * CHARS_PER_TOKEN // 4


def _reader(tx: Tx, turn: Turn) -> tuple[BranchKey | None, str]:
    """Who gave the task or wrote the mail that the turn answers, and its id."""
    task = tx.task_row(turn.task) if turn.task is not None else None
    if task is not None:
        return task.dispatcher, task.public_id
    if turn.answers is not None:
        return tx.sender_of_message(turn.answers).branch, tx.message_id(turn.answers)
    return None, ""
