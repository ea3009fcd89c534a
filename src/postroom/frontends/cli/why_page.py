"""`postroom why` for people: an indented page in plain words, at most a screen for a usual message."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from postroom.domain.plain import Json
from postroom.frontends.cli.show_page import apart
from postroom.frontends.cli.texts import Row, clock, rows, text
from postroom.frontends.cli.words import counted
from postroom.rules.text import brief

SHOWN: Final = 12
"""How many lines a list may take; the rest is counted."""
TEXT_CHARS: Final = 100
_BY: Final = {"person": "the person", "system": "Postroom", "": "nobody"}
_OUTCOMES: Final = {"ok": "", "error": " failed", "open": " open", "waits": " waits"}
_VERDICTS: Final = {"deny": "denied"}
_HOW: Final = {"opened": "opened by", "joined": "joined by", "returned": "got back"}


def why_page(found: Row) -> Iterator[str]:
    """The whole view."""
    message, turn, call, ask = (_row(found, key) for key in ("message", "turn", "call", "ask"))
    if message is not None:
        yield from _message(message)
    if ask is not None:
        yield from _ask(ask)
    if call is not None:
        yield from _call_page(call)
    if turn is not None and (message is not None or call is not None):
        yield ""
    if turn is not None:
        yield from _turn(turn, of_message=message is not None)
    yield from _way(rows(found["because"]), text(found, "what"))


def _message(message: Row) -> Iterator[str]:
    yield f"message    {text(message, 'message_id')}  ({text(message, 'kind')}, {text(message, 'mode')})"
    own, other = (text(_row(message, key) or {}, "session_id") for key in ("sender", "to"))
    sender, to = apart((_who(_row(message, "sender")), own), (_to(message), other))
    yield f"from       {sender}{_origin(message)}"
    yield f"to         {to}{_with('it was ', message, 'receipt')}"
    yield from (f"and to     {_who(to)}" for to in rows(message["also_to"]))
    yield f"says       {brief(text(message, 'body'), TEXT_CHARS)}  ({counted(message['body_bytes'], 'byte')})"
    yield from (f"let go by  {_asked(ask)}" for ask in rows(message["asks"]))
    yield from (f"let go by  {_granted(grant)}" for grant in rows(message["grants"]))
    yield from _listed("life       ", _life(message))
    yield from _linked(
        message, ("answers", "answers_id"), ("goal", "goal_id"), ("under task", "under_task_id")
    )
    yield from _listed("answered   ", [f"by {_sent(sent)}" for sent in rows(message["answered_by"])])
    task = _row(message, "task")
    if task is not None:
        yield f"task       {_outcome_of(task)}{_with('result ', task, 'result_id')}"


def _to(message: Row) -> str:
    """Its recipient; on a bus what it was written to, and the first of those who took it."""
    selector, to = text(message, "selector"), _row(message, "to")
    if not selector:
        return _who(to)
    taken_by = "nobody" if to is None or text(to, "by") == "bus" else _who(to)
    return f"{selector}, on the bus: {taken_by}"


def _origin(message: Row) -> str:
    """Where it was written."""
    call, turn = text(message, "call_id"), text(message, "turn_id")
    if call:
        return f", by call {call} of turn {turn}"
    return f", in turn {turn}" if turn else ""


def _life(message: Row) -> list[str]:
    """Its steps; where several got it, each says with whom."""
    steps = rows(message["life"])
    if not rows(message["also_to"]):
        return [_step(step) for step in steps]
    whose = [("of" if text(step, "turn_id") else " for", _who(_row(step, "to"))) for step in steps]
    return [
        f"{_step(s)} {word} {name}" if name else _step(s)
        for s, (word, name) in zip(steps, whose, strict=True)
    ]


def _step(step: Row) -> str:
    what, turn, call = (text(step, key) for key in ("what", "turn_id", "call_id"))
    at = f"{clock(step['at_us'])}  {what:<9}"
    if what == "claimed":
        way = f"as the result of call {call}" if call else f"for round {text(step, 'round')}"
        return f"{at}  {way} of turn {turn}"
    if what == "consumed":
        return f"{at}  by the answer of round {text(step, 'round')} of turn {turn}"
    reason = f"  {text(step, 'reason')}" if text(step, "reason") else ""
    return f"{at}{f'  by turn {turn}' if turn else ''}{reason}".rstrip()


def _turn(turn: Row, *, of_message: bool) -> Iterator[str]:
    head = "read in" if of_message else "turn"
    yield f"{head:<11}{'turn ' if of_message else ''}{text(turn, 'turn_id')} of {_who(_row(turn, 'agent'))}"
    yield f"  {_ending(turn)}; {_costs(_row(turn, 'spent') or {})}"
    if text(turn, "task_id"):
        yield f"  ran task {text(turn, 'task_id')}{_with('result ', turn, 'result_id')}"
    if text(turn, "trigger") == "resume":
        yield f"  opened by resume, after turn {text(turn, 'previous_id')}"
    yield from _listed("  ", [_read(read) for read in rows(turn["read"])])
    yield from _listed("  called   ", [_call(call) for call in rows(turn["calls"])])
    yield from _listed("  sent     ", [_sent(sent) for sent in rows(turn["sent"])])
    yield from _listed("  gave     ", [_task(task) for task in rows(turn["tasks"])])
    yield from _listed("  asked    ", [_asked(ask) for ask in rows(turn["asks"])])
    yield from _listed("  beside   ", [_side(side) for side in rows(turn["side_calls"])])
    yield from _listed("  goal     ", [_goal(step) for step in rows(turn["goals"])])
    if text(turn, "text"):
        yield f"  said     {brief(text(turn, 'text'), TEXT_CHARS)}"


def _ender(row: Row) -> str:
    """Who ended it, when somebody did."""
    who, call = _row(row, "cancelled_by"), text(row, "cancelled_call_id")
    return "" if who is None else f", by {_who(who)}{f' in call {call}' if call else ''}"


def _ending(turn: Row) -> str:
    reason = f" ({text(turn, 'end_reason')})" if text(turn, "end_reason") else ""
    when = f" at {clock(turn['ended_us'])}" if turn.get("ended_us") is not None else ""
    return f"{text(turn, 'state')}{reason}{when}{_ender(turn)}"


def _costs(spent: Row) -> str:
    tokens = int(text(spent, "input_tokens") or 0) + int(text(spent, "output_tokens") or 0)
    cost = int(text(spent, "cost_micros") or 0) / 1_000_000
    requests = spent.get("unpriced")
    unpriced = f", {counted(requests, 'request')} without a price" if requests else ""
    return f"{counted(spent.get('rounds'), 'round')}, {tokens:,} tokens, ${cost:.4f}{unpriced}"


def _read(read: Row) -> str:
    where = "" if text(read, "how") == "opened" else f" in round {text(read, 'round')}"
    return (
        f"{_HOW[text(read, 'how')]} {text(read, 'kind')} {text(read, 'message_id')}"
        f" from {_who(_row(read, 'sender'))}{where}"
    )


def _call(call: Row) -> str:
    outcome = text(call, "outcome")
    ended = _OUTCOMES.get(outcome, f" → {outcome}")
    changed = f", changed by {text(call, 'changed_by')}" if text(call, "changed_by") else ""
    hooks = "".join(f", {_verdict(hook)} by {text(hook, 'hook')}" for hook in rows(call["hooks"]))
    return f"{text(call, 'tool')} ({text(call, 'call_id')}){ended}{changed}{hooks}"


def _verdict(hook: Row) -> str:
    verdict = text(hook, "verdict")
    return _VERDICTS.get(verdict, verdict)


def _call_page(call: Row) -> Iterator[str]:
    yield f"call       {_call(call)}"
    yield f"made in    round {text(call, 'round')} of turn {text(call, 'turn_id')}"
    yield f"with       {brief(text(call, 'arguments'), TEXT_CHARS)}"
    if text(call, "changed_arguments"):
        yield f"changed to {brief(text(call, 'changed_arguments'), TEXT_CHARS)}"
    for word, key in (("asked", "ask_ids"), ("ended", "cancelled_ids")):
        ids = call[key]
        yield from (f"{word:<10} {one}" for one in (ids if isinstance(ids, list) else ()))
    yield from _linked(
        call, ("sent", "message_id"), ("awaited", "awaits_id"), ("got back", "returned_id"),
        ("work ended", "work_id"),
    )  # fmt: skip


def _sent(sent: Row) -> str:
    return (
        f"{text(sent, 'kind')} {text(sent, 'message_id')} to {_who(_row(sent, 'to'))}: {text(sent, 'state')}"
    )


def _task(task: Row) -> str:
    return f"task {text(task, 'task_id')} to {_who(_row(task, 'to'))}: {_outcome_of(task)}"


def _outcome_of(task: Row) -> str:
    ended = ", ".join(part for part in (text(task, "outcome"), text(task, "cause")) if part)
    return (f"{text(task, 'state')} ({ended})" if ended else text(task, "state")) + _ender(task)


def _ask(ask: Row) -> Iterator[str]:
    yield f"ask        {_asked(ask)}"
    yield f"from       {_who(_row(ask, 'agent'))}{_origin(ask)}"
    to = _row(ask, "to")
    wish = f"{text(ask, 'action')} {text(ask, 'resource')} by {text(ask, 'tool')}"
    yield f"wants      {wish}{'' if to is None else f', to {_who(to)}'}"
    yield f"says       {brief(text(ask, 'text'), TEXT_CHARS)}"
    if text(ask, "answer"):
        yield f"told       {brief(text(ask, 'answer'), TEXT_CHARS)}"
    yield from (f"gave       {_granted(grant)}" for grant in rows(ask["grants"]))


def _asked(ask: Row) -> str:
    by = f" by {_BY.get(text(ask, 'by'), text(ask, 'by'))}" if text(ask, "by") else ""
    scope = f", for {text(ask, 'scope')}" if text(ask, "scope") else ""
    when = f" at {clock(ask['decided_us'])}" if ask.get("decided_us") is not None else ""
    return f"{text(ask, 'kind')} {text(ask, 'ask_id')}: {text(ask, 'state')}{by}{scope}{when}"


def _granted(grant: Row) -> str:
    until = "" if grant.get("revoked_us") is None else f", until {clock(grant['revoked_us'])}"
    return f"leave for the tree since {clock(grant['given_us'])}{until}, by ask {text(grant, 'ask_id')}"


def _side(side: Row) -> str:
    for_call = f" for {text(side, 'call_id')}" if text(side, "call_id") else ""
    code = f" ({text(side, 'code')})" if text(side, "code") else ""
    return f"{text(side, 'purpose')}{for_call}: {text(side, 'outcome')}{code}"


def _goal(step: Row) -> str:
    return f"{text(step, 'goal_id')}: {text(step, 'done')} of {counted(step['items'], 'item')} done"


def _way(way: Sequence[Row], what: str) -> Iterator[str]:
    """Why it all began, back to whoever began it."""
    if not way:
        return
    yield ""
    yield "because" if what == "turn" else "because its turn was opened by"
    lines = [
        f"{text(step, 'kind')} {text(step, 'message_id')} from {_who(_row(step, 'sender'))}"
        + (f", written in turn {text(step, 'turn_id')}" if text(step, "turn_id") else "")
        for step in way
    ]
    yield from _listed("  ", lines)


def _linked(row: Row, *links: tuple[str, str]) -> Iterator[str]:
    yield from (f"{word:<10} {text(row, key)}" for word, key in links if text(row, key))


def _listed(head: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines under a word; what is too much for a screen is counted."""
    shown = lines if len(lines) <= SHOWN else lines[: SHOWN - 1]
    for index, line in enumerate(shown):
        yield f"{head if not index else ' ' * len(head)}{line}"
    if len(shown) < len(lines):
        yield f"{' ' * len(head)}and {len(lines) - len(shown)} more, see --json"


def _who(who: Row | None) -> str:
    if who is None:
        return ""
    by, name = text(who, "by"), text(who, "name")
    if by in {"agent", "bus"}:
        return name
    if by == "plugin":
        return f"the plugin {name}"
    known = _BY.get(by, by)
    return f"{known}, again as {name}" if name else known


def _with(word: str, row: Row, key: str) -> str:
    return f", {word}{text(row, key)}" if text(row, key) else ""


def _row(row: Row, key: str) -> Row | None:
    found: Json = row.get(key)
    return cast("Row", found) if isinstance(found, dict) else None
