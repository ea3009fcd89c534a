"""The end of a task: one terminal state, one report to its dispatcher, never silent (G8, O-16, O-40)."""

import json
from dataclasses import asdict, dataclass, replace

from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, ChainKey, MessageKey, TurnKey
from postroom.domain.message import Kind, Mode
from postroom.domain.node import MailFacts
from postroom.domain.task import FINAL_STATES, Outcome, Task, TaskState
from postroom.domain.turn import TurnState
from postroom.rules.text import is_blank
from postroom.service.after_task import settle_agent
from postroom.service.facts import Ring
from postroom.service.heirs import reader_of, tell_nobody_reads
from postroom.service.receipts import address_of, given_name, mode_at, recipient_state
from postroom.service.wake import wake_recipient
from postroom.store.rows import TurnRow
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
    kept: str = ""
    """The file with the whole of a long text."""
    cause: str = ""
    told: bool = False
    quiet: bool = False
    """Its dispatcher is being ended too: a notice tells it, and nothing wakes it."""


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
    settle_agent(tx, ring, row, report.outcome)
    ring.answered.extend(TurnKey(turn) for _, turn in tx.waiters_of_task(task))


def _post_result(tx: Tx, ring: Ring, row: Task, report: Report) -> MessageKey | None:
    """One delivery to the dispatcher; a notice if its turn was cancelled, so that it never restarts."""
    turn, own = tx.turn_row(row.dispatcher_turn), tx.turn_row(row.turn) if row.turn else None
    child = tx.recipient_by_branch(None, row.target)
    is_own = child.session == tx.branch_row(row.dispatcher).session
    facts = MailFacts(
        kind=Kind.RESULT, outcome=report.outcome, task=row.public_id, description=row.description,
        code=_cause(report), name=given_name(tx, child.branch), where=report.kept,
        attached=bool(row.made_agent and row.background and is_own),
    )  # fmt: skip
    letter = Letter(
        kind=Kind.RESULT, mode=Mode.STEER, body=report.text, facts=json.dumps(asdict(facts)),
        chain=ChainKey(turn.chain if turn else 0), sender=row.target, sender_session=child.session,
        sender_address=address_of(tx, child), task=row.key, reply_to=row.key,
        messages=own.messages if own and _counts_tasks(tx, turn) else 0,
        generations=turn.generations if turn else 0, actor=actor_of(row.target),
    )  # fmt: skip
    if report.quiet:
        letter = replace(letter, kind=Kind.NOTICE)
    return _send_back(tx, ring, letter, row.dispatcher, turn)


def answer_mail(tx: Tx, ring: Ring, row: TurnRow, report: Report) -> None:
    """The turn that mail has opened is over: what it said goes back to whoever wrote the mail.

    It carries the messages of the answered turn and the generations of the turn that wrote (systems.md 1.7).
    """
    assert row.answers is not None  # noqa: S101 -- only such turns are answers
    writer, own = tx.sender_of_message(row.answers), tx.recipient_by_branch(None, row.branch)
    if writer.branch is None:
        return
    turn = tx.turn_row(writer.turn) if writer.turn else None
    facts = MailFacts(
        kind=Kind.REPLY, outcome=report.outcome, task=tx.message_id(row.answers), code=_cause(report),
        name=given_name(tx, own.branch), where=report.kept,
    )  # fmt: skip
    letter = Letter(
        kind=Kind.REPLY, mode=Mode.STEER, body=report.text, facts=json.dumps(asdict(facts)), chain=row.chain,
        sender=row.branch, sender_session=row.session, sender_address=address_of(tx, own),
        sender_turn=row.turn, task=writer.task, reply_to=row.answers, messages=row.messages,
        generations=writer.generations or 0, actor=actor_of(row.branch),
    )  # fmt: skip
    _send_back(tx, ring, letter, writer.branch, turn)


def _cause(report: Report) -> str:
    return "" if report.outcome is Outcome.SUCCEEDED else report.cause


def _counts_tasks(tx: Tx, turn: TurnRow | None) -> bool:
    return turn is not None and tx.policy(turn.policy).path_counts_tasks


def _send_back(
    tx: Tx, ring: Ring, letter: Letter, asker: BranchKey, turn: TurnRow | None
) -> MessageKey | None:
    """To whoever asked; a notice if the asking turn was cancelled: a late answer never restarts it.

    Of one that was archived the nearest ancestor reads it; without any, nobody, and the person is told.
    """
    reader = reader_of(tx, asker, letter.task if letter.kind is Kind.RESULT else None)
    if reader is None:
        tell_nobody_reads(tx, asker, letter.sender_address)
        return None
    to = tx.recipient_by_branch(letter.sender, reader)
    if turn is not None and turn.state == TurnState.CANCELLED:
        letter = replace(letter, kind=Kind.NOTICE)
    else:
        letter = replace(letter, mode=mode_at(tx, to, letter.mode))
    message, _ = tx.post(letter, to, recipient_state(tx, to))
    wake_recipient(tx, ring, to)
    return message
