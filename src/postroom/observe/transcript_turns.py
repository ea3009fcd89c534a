"""Turns in a transcript: how each ended, what of its bus nobody read, what its chain has spent."""

from collections.abc import Iterator, Mapping
from typing import Final

from postroom.domain.receipt import Code
from postroom.domain.turn import TurnState
from postroom.observe.transcript_mail import replied
from postroom.observe.transcript_parts import ChainView, UnreadText
from postroom.observe.transcript_rows import CloseReportRow, MailOutRow, TurnEndRow
from postroom.observe.transcript_sheet import Sheet
from postroom.service.bus_close import told_as, unread_in
from postroom.store.tx import Tx
from postroom.store.tx_transcript import ToldTurn

_MODEL: Final = "see that the model can be reached, then say `resume` or write again"
_BUDGET: Final = "write again: new text begins a new chain with the budgets of the settings"
REMEDIES: Final[Mapping[str, str]] = {
    "model_unavailable": _MODEL, "model_overloaded": _MODEL, "model_silent": _MODEL, "model_failed": _MODEL,
    "model_rate_limited": "wait until the provider's limit has passed, then write again",
    "model_auth": "set a key that the provider takes, and start the daemon again",
    "missing_key": "set the key that the message names, and start the daemon again",
    "model_quota": "raise the quota at the provider, or give the profile another model",
    "model_invalid_request": "see the profile's model and its settings",
    "context_too_long": "compact the conversation, or go back to a shorter one",
    "answer_cut": "raise the model's greatest length of an answer, or ask for less at once",
    "answer_filtered": "put it in other words, or give the profile another model",
    "answer_refused": "put it in other words, or give the profile another model",
    Code.CHAIN_SPENT: _BUDGET,
    Code.PRICE_UNKNOWN: "give the model a price in the settings, or take the budget of money away",
    "round_cap": "write again to let it go on, or raise the cap on rounds",
    "interrupted": "what it called may have taken effect; say `resume` or write again",
    "cancel.user": "write again, or say `resume`",
}  # fmt: skip
"""What to do about the end of a turn, by its code."""
_BUDGET_CODES: Final = frozenset((str(Code.CHAIN_SPENT), str(Code.PRICE_UNKNOWN)))


def ended(
    tx: Tx, sheet: Sheet, turn: ToldTurn, node: int | None
) -> Iterator[MailOutRow | TurnEndRow | CloseReportRow]:
    """What the end of a turn shows: what it answered, how it ended, the record of its bus."""
    if turn.ended_us is None:
        return
    yield from replied(sheet, turn, node)
    code, cause = reason_of(turn)
    yield TurnEndRow(
        kind="turn_end", id=f"turn_end:{turn.public_id}", ts_us=turn.ended_us, turn_id=turn.public_id,
        node_id=node, provenance="system", trigger=turn.trigger, state=turn.state, code=code, cause=cause,
        remedy=REMEDIES.get(code, ""), rounds=turn.rounds,
        budget=chain_view(tx, turn.chain) if code in _BUDGET_CODES else None,
    )  # fmt: skip
    if turn.bus is not None and turn.closed_us is not None:
        yield _close_report(sheet, turn, turn.closed_us, node)


def reason_of(turn: ToldTurn) -> tuple[str, str]:
    """(code, cause) of the end of a turn; what its process left has a code of its own."""
    code, colon, cause = turn.end_reason.partition(": ")
    if turn.state == TurnState.INTERRUPTED:
        return "interrupted", turn.end_reason
    if colon and code.replace("_", "").replace(".", "").isalnum():
        return code, cause
    return ("", turn.end_reason) if " " in turn.end_reason else (turn.end_reason, "")


def remedy_of(turn: ToldTurn) -> str:
    """What to do about the end of a turn."""
    return REMEDIES.get(reason_of(turn)[0], "")


def chain_view(tx: Tx, chain: int) -> ChainView:
    """A chain beside its limits."""
    found = tx.chain_of(chain)
    return ChainView(
        chain=chain, turns=found.turns, turns_max=found.limits.turns_max, tokens=found.tokens,
        tokens_max=found.limits.tokens_max, cost_micros=found.cost_micros,
        cost_micros_max=found.limits.cost_micros_max,
    )  # fmt: skip


def _close_report(sheet: Sheet, turn: ToldTurn, closed_us: int, node: int | None) -> CloseReportRow:
    unread = unread_in(turn.report)
    return CloseReportRow(
        kind="close_report", id=f"close_report:{turn.public_id}", ts_us=closed_us, turn_id=turn.public_id,
        node_id=node, provenance="system",
        sentence="" if turn.state == TurnState.STOPPED else told_as(unread),
        read=sheet.read.get(turn.bus or 0, 0),
        undelivered=tuple(
            UnreadText(sender=one.sender, to=one.selector, text=one.text, missing_chars=one.missing)
            for one in unread
        ),
    )  # fmt: skip
