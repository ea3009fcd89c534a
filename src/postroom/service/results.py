"""The end of a task: one terminal state, one report to its dispatcher, never silent (G8, O-16, O-40)."""

import json
from dataclasses import asdict, dataclass

from postroom.domain.event import actor_of
from postroom.domain.keys import ChainKey, MessageKey, TurnKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts
from postroom.domain.task import FINAL_STATES, Outcome, Task, TaskState
from postroom.domain.turn import TurnState
from postroom.rules.text import is_blank
from postroom.service.facts import Ring
from postroom.service.receipts import address_of, recipient_state
from postroom.service.wake import wake_recipient
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

_STATES = {
    Outcome.SUCCEEDED: TaskState.COMPLETED,
    Outcome.EMPTY: TaskState.COMPLETED,
    Outcome.ROUND_CAP: TaskState.COMPLETED,
    Outcome.FAILED: TaskState.ERRORED,
    Outcome.INTERRUPTED: TaskState.ERRORED,
    Outcome.CANCELLED: TaskState.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a task, and whether the dispatcher's own call says it already."""

    outcome: Outcome
    text: str = ""
    cause: str = ""
    told: bool = False


def report_task(tx: Tx, ring: Ring, task: MessageKey, report: Report) -> None:
    """Write the terminal state once and send the result; a second end of the task changes nothing."""
    row = tx.task_row(task)
    if row is None or row.state in FINAL_STATES:
        return
    state = _STATES[report.outcome]
    if report.outcome is Outcome.ROUND_CAP and is_blank(report.text):
        state = TaskState.ERRORED
    message = None if report.told else _post_result(tx, ring, row, report)
    target = tx.branch_row(row.target)
    cause = "" if report.outcome is Outcome.SUCCEEDED else report.cause
    tx.end_task(target.session, task, state, report.outcome, cause, report.text, message)
    ring.answered.extend(TurnKey(turn) for _, turn in tx.waiters_of_task(task))


def _post_result(tx: Tx, ring: Ring, row: Task, report: Report) -> MessageKey:
    """One delivery to the dispatcher; a notice if its turn was cancelled, so that it never restarts."""
    to = tx.recipient_by_branch(row.target, row.dispatcher)
    turn = tx.turn_row(row.dispatcher_turn)
    cancelled = turn is not None and turn.state == TurnState.CANCELLED
    child = tx.recipient_by_branch(None, row.target)
    facts = MailFacts(
        kind=Kind.RESULT, outcome=report.outcome, task=str(row.key), description=row.description,
        code="" if report.outcome is Outcome.SUCCEEDED else report.cause,
    )  # fmt: skip
    letter = Letter(
        kind=Kind.NOTICE if cancelled else Kind.RESULT, mode=Mode.STEER, body=report.text,
        facts=json.dumps(asdict(facts)), chain=ChainKey(turn.chain if turn else 0), sender=row.target,
        sender_session=child.session, sender_address=address_of(tx, child), task=row.key, reply_to=row.key,
        generations=turn.generations if turn else 0, actor=actor_of(row.target),
    )  # fmt: skip
    message, _ = tx.post(letter, to, recipient_state(tx, to))
    wake_recipient(tx, ring, to)
    return message
