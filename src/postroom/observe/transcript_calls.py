"""Answers and calls in a transcript: what the model said and asked for, and what came of each call."""

import json
from collections.abc import Mapping, Sequence

from postroom.domain.event import Event, EventKind
from postroom.domain.turn import CallState, call_id
from postroom.observe.transcript_mail import turn_id_of
from postroom.observe.transcript_parts import CallAsk, CallView, HookSaid
from postroom.observe.transcript_rows import AnswerRow, CallsRow
from postroom.observe.transcript_sheet import Sheet
from postroom.rules.text import scrub
from postroom.store.tx_transcript import PathNode, ToldAsk, ToldCall

_REFUSALS = frozenset((EventKind.MESSAGE_REFUSED, EventKind.DELEGATION_REFUSED))
_ENDS = frozenset((EventKind.MESSAGE_SENT, EventKind.MESSAGE_HELD, EventKind.CALL_ENDED, *_REFUSALS))


def answer(sheet: Sheet, node: PathNode) -> AnswerRow:
    """What the agent said in a round."""
    logged = sheet.answers.get(node.key)
    facts: Mapping[str, int | None] = json.loads(logged.payload) if logged else {}
    return AnswerRow(
        kind="answer", id=f"answer:{node.key}", ts_us=node.created_us, turn_id=turn_id_of(sheet, node.turn),
        node_id=node.key, provenance="agent", round=node.round, text=node.text,
        missing_chars=node.text_chars - len(node.text), model=node.model,
        input_tokens=facts.get("input_tokens") or 0, output_tokens=facts.get("output_tokens") or 0,
        cache_read_tokens=facts.get("cache_read_tokens") or 0, cost_micros=facts.get("cost_micros"),
    )  # fmt: skip


def calls(sheet: Sheet, node: PathNode, made: Sequence[ToldCall]) -> CallsRow:
    """The calls of an answer."""
    return CallsRow(
        kind="calls", id=f"calls:{node.key}", ts_us=node.created_us, turn_id=turn_id_of(sheet, node.turn),
        node_id=node.key, provenance="agent", round=node.round,
        calls=tuple(
            call_view(
                call, node.created_us, sheet.logged.get(call.key, ()), sheet.asks.get(call.key, ()),
                waits=call.key in sheet.waiting,
            )
            for call in made
        ),
    )  # fmt: skip


def call_view(
    call: ToldCall, started_us: int, logged: Sequence[Event], asks: Sequence[ToldAsk], *, waits: bool
) -> CallView:
    """One call with what the log tells of it."""
    is_open = call.state == CallState.OPEN
    return CallView(
        call_id=call_id(call.turn, call.round, call.position), tool=call.tool,
        arguments=scrub(call.arguments),
        arguments_missing_chars=call.arguments_chars - len(call.arguments),
        changed_arguments=call.changed_arguments,
        changed_missing_chars=call.changed_chars - len(call.changed_arguments), changed_by=call.changed_by,
        state="waiting" if is_open and waits else call.state, ended_by=call.ended_by, code=_code(logged),
        is_error=bool(call.is_error), result=call.result,
        result_missing_chars=call.result_chars - len(call.result), images=call.images,
        started_us=started_us, ended_us=None if is_open else _ended_us(logged),
        hooks=tuple(_hook(event) for event in logged if event.kind == EventKind.HOOK_DECIDED),
        asks=tuple(
            CallAsk(
                ask_id=ask.public_id, ask_kind=ask.kind, state=ask.state, decided_by=ask.decided_by,
                scope=ask.scope, requested_us=ask.requested_us, decided_us=ask.decided_us,
            )
            for ask in asks
        ),
    )  # fmt: skip


def _code(logged: Sequence[Event]) -> str:
    """The code of a refusal; a call that has sent its message was not refused."""
    if any(event.kind == EventKind.MESSAGE_SENT for event in logged):
        return ""
    codes = [str(json.loads(event.payload)["code"]) for event in logged if event.kind in _REFUSALS]
    return codes[-1] if codes else ""


def _ended_us(logged: Sequence[Event]) -> int | None:
    times = [event.ts_us for event in logged if event.kind in _ENDS]
    return times[-1] if times else None


def _hook(event: Event) -> HookSaid:
    facts: Mapping[str, str] = json.loads(event.payload)
    return HookSaid(hook=facts["hook"], verdict=facts["verdict"], code=facts.get("code") or "")
