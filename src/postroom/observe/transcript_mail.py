"""Mail in a transcript: what entered, what was sent, what waits, and the cards of those at work."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from postroom.domain.bus import SUMMARY_CHARS_MAX
from postroom.domain.message import TASKS, Kind
from postroom.domain.node import Provenance, facts_of
from postroom.domain.task import FINAL_STATES, Outcome, TaskState
from postroom.domain.turn import call_id
from postroom.observe.mail_views import told_with
from postroom.observe.transcript_parts import Letter, Reached, Speaker, Words
from postroom.observe.transcript_rows import MailInRow, MailOutRow, NoticeRow, SpawnRow, TextRow, WaitingRow
from postroom.observe.transcript_sheet import TEXT_CHARS, Sheet, entered_at
from postroom.rules.envelope import render
from postroom.rules.text import brief
from postroom.store.tx_transcript import (
    AgentLabel,
    GivenWork,
    PathNode,
    ToldCall,
    ToldDelivery,
    ToldMessage,
    ToldTurn,
)

NOBODY: Final = Speaker(by="system", name="", address="", branch_id="", session_id="")
_ENDED: Final[dict[str, Literal["done", "cancelled"]]] = {
    Outcome.SUCCEEDED: "done", Outcome.EMPTY: "done", Outcome.ROUND_CAP: "done",
    Outcome.CANCELLED: "cancelled",
}  # fmt: skip
_SENT_BY_CALL: Final = frozenset((Kind.MAIL,))


def speaker(sheet: Sheet, branch: int | None) -> Speaker:
    """An agent by its branch."""
    label = sheet.labels.get(branch or 0)
    return NOBODY if label is None else speaker_of(label)


def speaker_of(label: AgentLabel) -> Speaker:
    """An agent by its label."""
    return Speaker(
        by="agent", name=label.label, address=label.address, branch_id=label.branch_id,
        session_id=label.session_id,
    )  # fmt: skip


def entered(sheet: Sheet, node: PathNode) -> Iterator[TextRow | MailInRow | NoticeRow]:
    """What an item of the person, of agents or of the runtime shows."""
    letters = tuple(
        letter(sheet, message, _standing(sheet, node, message.key))
        for key in entered_at(node)
        if (message := sheet.messages.get(key)) is not None
    )
    turn_id, words = turn_id_of(sheet, node.turn), whose(node.provenance)
    if not letters:
        yield _said_by_runtime(node, turn_id, words)
    elif words == "user":
        yield TextRow(
            kind="text", id=f"text:{node.key}", ts_us=node.created_us, turn_id=turn_id, node_id=node.key,
            provenance=words, parts=letters,
        )  # fmt: skip
    else:
        yield MailInRow(
            kind="mail_in", id=f"mail_in:{node.key}", ts_us=node.created_us, turn_id=turn_id,
            node_id=node.key, provenance=words, parts=letters,
        )  # fmt: skip


def _said_by_runtime(node: PathNode, turn_id: str, words: Words) -> NoticeRow:
    facts = facts_of(node.parts)
    text = render("", facts)
    return NoticeRow(
        kind="notice", id=f"notice:{node.key}", ts_us=node.created_us, turn_id=turn_id, node_id=node.key,
        provenance=words, code=facts.code or facts.kind, text=text[:TEXT_CHARS],
        missing_chars=max(len(text) - TEXT_CHARS, 0),
    )  # fmt: skip


def letter(sheet: Sheet, message: ToldMessage, at: ToldDelivery | None) -> Letter:
    """One message as it stands with its reader."""
    told = told_with(message.facts)
    return Letter(
        message_id=message.public_id, message_kind=message.kind, mode=message.mode,
        provenance=words_of(message), sender=sender_of(sheet, message), selector=message.selector,
        text=message.text, missing_chars=message.chars - len(message.text),
        pruned_bytes=message.pruned_bytes, pruned_sha256=message.pruned_sha256,
        outcome=told.get("outcome", ""), code=told.get("code", ""), state=at.state if at else "",
        parked=bool(at and at.parked), reason=at.reason if at else "", attempts=at.attempts if at else 0,
        read_round=at.round if at else None, read_turn_id=at.turn_id if at else "",
        reverted=bool(at and at.reverted), sent_us=message.created_us,
    )  # fmt: skip


def _standing(sheet: Sheet, node: PathNode, message: int) -> ToldDelivery | None:
    """How it stands with the agent whose turn took it; a fork shows items of another one."""
    found = sheet.deliveries.get(message, ())
    turn = sheet.turns.get(node.turn)
    own = (one for one in found if one.node == node.key or (turn is not None and one.branch == turn.branch))
    return next(own, None)


def sender_of(sheet: Sheet, message: ToldMessage) -> Speaker:
    """Who wrote it."""
    if message.sender:
        found = speaker(sheet, message.sender)
        if found.branch_id:
            return found
    words = words_of(message)
    by = "system" if words == "mixed" else words
    name = "" if by == "user" else message.sender_address
    return Speaker(by=by, name=name, address="", branch_id="", session_id="")


def words_of(message: ToldMessage) -> Words:
    """Whose text a message is, by its kind and never by its words (G10)."""
    match message.kind:
        case Kind.USER:
            return "user"
        case Kind.PLUGIN | Kind.GOAL:
            return "plugin"
        case Kind.NOTICE if _carries_work(message):
            return "plugin"
        case _:
            return "agent" if message.sender else "system"


def _carries_work(message: ToldMessage) -> bool:
    return told_with(message.facts).get("kind") == Kind.PLUGIN


def caused(sheet: Sheet, node: PathNode, call: ToldCall) -> Iterator[MailOutRow | SpawnRow]:
    """What a call has sent, or whom it has set to work."""
    message = sheet.messages.get(call.message or 0)
    if message is None:
        return
    task = sheet.tasks.get(message.key)
    if task is not None and message.kind in TASKS:
        yield _card(sheet, node, call, message, task)
    elif message.kind in _SENT_BY_CALL and message.sender_turn == call.turn:
        yield mail_out(
            sheet, message, what="sent", turn_id=turn_id_of(sheet, call.turn), node=node.key,
            call=call_id(call.turn, call.round, call.position),
        )  # fmt: skip


def mail_out(
    sheet: Sheet, message: ToldMessage, *, what: Literal["sent", "replied"], turn_id: str,
    node: int | None, call: str = "",
) -> MailOutRow:  # fmt: skip
    """A message with each of its recipients."""
    standing, told = sheet.deliveries.get(message.key, ()), told_with(message.facts)
    return MailOutRow(
        kind="mail_out", id=f"mail_out:{message.public_id}", ts_us=message.created_us, turn_id=turn_id,
        node_id=node, provenance="agent" if message.sender else "system", what=what,
        message_id=message.public_id, message_kind=message.kind, mode=message.mode,
        summary=brief(message.text, SUMMARY_CHARS_MAX), text=message.text,
        missing_chars=message.chars - len(message.text), pruned_bytes=message.pruned_bytes,
        pruned_sha256=message.pruned_sha256, selector=message.selector, call_id=call,
        outcome=told.get("outcome", ""), code=told.get("code", ""),
        to=tuple(_reached(sheet, one) for one in standing),
    )  # fmt: skip


def _reached(sheet: Sheet, one: ToldDelivery) -> Reached:
    return Reached(
        to=speaker(sheet, one.branch), state=one.state, reason=one.reason,
        parked=bool(one.parked), read_round=one.round, read_turn_id=one.turn_id, reverted=bool(one.reverted),
    )  # fmt: skip


def _card(sheet: Sheet, node: PathNode, call: ToldCall, message: ToldMessage, task: GivenWork) -> SpawnRow:
    label = sheet.labels.get(task.target)
    return SpawnRow(
        kind="spawn", id=f"spawn:{task.public_id}", ts_us=task.given_us,
        turn_id=turn_id_of(sheet, call.turn), node_id=node.key, provenance="agent",
        call_id=call_id(call.turn, call.round, call.position), task_id=task.public_id,
        message_id=message.public_id, agent=speaker(sheet, task.target),
        profile=label.profile if label else "", made_agent=bool(task.made_agent),
        background=bool(task.background),
        description=task.description or brief(message.text, SUMMARY_CHARS_MAX),
        task_state=task.state, status=_status(task), outcome=task.outcome, cause=task.cause,
        tokens=task.tokens, cost_micros=task.cost_micros, preview=task.preview, ended_us=task.ended_us,
    )  # fmt: skip


def _status(
    task: GivenWork,
) -> Literal["waiting", "running", "paused", "done", "failed", "cancelled"]:
    if TaskState(task.state) in FINAL_STATES:
        return _ENDED.get(task.outcome, "failed")
    if task.paused_by is not None:
        return "paused"
    return "running" if task.state == TaskState.RUNNING else "waiting"


def replied(sheet: Sheet, turn: ToldTurn, node: int | None) -> Iterator[MailOutRow]:
    """What the end of a turn sent for its agent: the replies to its mail, and the result of its task."""
    keys = [*sheet.replies.get(turn.key, ()), *([turn.result] if turn.result else [])]
    for key in keys:
        if (message := sheet.messages.get(key)) is not None:
            yield mail_out(sheet, message, what="replied", turn_id=turn.public_id, node=node)


def waiting(
    sheet: Sheet, branch: int, turn_id: str, more: Sequence[ToldMessage] = ()
) -> Iterator[WaitingRow]:
    """What lies unread: in the mailbox, then on the bus of the turn."""
    for key in sheet.unread:
        message = sheet.messages[key]
        at = next((one for one in sheet.deliveries.get(key, ()) if one.branch == branch), None)
        yield _waits(sheet, message, at, turn_id)
    for message in more:
        yield _waits(sheet, message, None, turn_id)


def _waits(sheet: Sheet, message: ToldMessage, at: ToldDelivery | None, turn_id: str) -> WaitingRow:
    shown = letter(sheet, message, at)
    return WaitingRow(
        kind="waiting", id=f"waiting:{message.public_id}", ts_us=message.created_us, turn_id=turn_id,
        node_id=None, provenance=shown.provenance, letter=shown,
    )  # fmt: skip


def turn_id_of(sheet: Sheet, key: int) -> str:
    """The public id of a turn, empty where there is none."""
    turn = sheet.turns.get(key)
    return turn.public_id if turn else ""


def whose(provenance: str) -> Words:
    """The provenance of an item as a row says it."""
    match provenance:
        case Provenance.USER:
            return "user"
        case Provenance.AGENT:
            return "agent"
        case Provenance.PLUGIN:
            return "plugin"
        case Provenance.MIXED:
            return "mixed"
        case _:
            return "system"
