"""The person is asked: for leave, before a call is made, or by an agent that has a question.

An ask is durable with its id and its due time. Whoever waits for it is suspended and holds no slot; the
wait outlives the process. Nothing is reserved while an ask is open: after it everything from the address
on is decided again (product.md section 5).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from postroom.domain.ask import Adviser, ApprovalMode, Ask, AskKind, AskState, Counsel, Opinion, Scope
from postroom.domain.keys import CallKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import EndedBy, Turn
from postroom.rules import guards
from postroom.rules.permissions import Effect
from postroom.rules.text import scrub
from postroom.service.admission import deed_of
from postroom.service.facts import AgentFacts, Ring
from postroom.service.requested import turn_of_request
from postroom.service.rights import Deed, Wish, asks_nobody, effect_of, has_grant, mode_over
from postroom.service.send import resolve
from postroom.service.waits import begin_wait, end_wait
from postroom.store.rows import RecipientRow, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_asks import NewAsk
from postroom.store.tx_waits import NewWait

SECOND_US = 1_000_000
RenderAnswer: TypeAlias = Callable[[str | Refusal], str]
"""The words of an agent's surface for the person's answer, or for why there is none."""


class Standing(StrEnum):
    """How a call stands before it is made."""

    GO = "go"  # nothing is in its way, or it will be refused by its own use case
    REFUSED = "refused"
    WAITS = "waits"  # the person is asked, and the turn is suspended
    CONSULT = "consult"  # models are to be asked first, which may speak for the person


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was decided on a call, and when the ask ends undecided, if one was opened."""

    standing: Standing
    refusal: Refusal | None = None
    adviser: Adviser | None = None
    """Who is to be asked first."""
    ring: Ring


def judge(
    tx: Tx, turn: Turn, call: CallKey, wish: Wish, facts: AgentFacts, counsel: Counsel | None = None
) -> Verdict:
    """Decide on a call before it is made; doing it again finds what was asked for it before.

    Rules that deny come first, then grants, then what this call was told, then the mode: of the tree, and of
    others that have a say over the call.
    """
    row = tx.owned(turn.key, turn.fence)
    verdict = _judged(tx, row, call, wish, facts, counsel)
    is_masked = wish.to is not None and tx.policy(row.policy).refusals == "masked"
    if verdict.standing is Standing.REFUSED and is_masked:
        return _verdict(Standing.GO)  # its use case refuses it, as it does what is not there
    return verdict


def wants_leave(tx: Tx, call: CallKey, wish: Wish, facts: AgentFacts) -> bool:
    """Whether a call needs leave by the rules of all sides; reads only, and `judge` decides."""
    sender, deed = tx.sender_of_call(call), _deed(tx, call, wish, facts)
    if sender is None or deed is None:
        return False
    return effect_of(facts, sender.overlay, deed) is Effect.ASK


def _judged(  # noqa: PLR0911 -- one return for each thing that decides, in their order
    tx: Tx, row: TurnRow, call: CallKey, wish: Wish, facts: AgentFacts, counsel: Counsel | None
) -> Verdict:
    rights = tx.tree_rights(row.root)
    deed = _deed(tx, call, wish, facts)
    if deed is None:
        return _verdict(Standing.GO)
    effect = effect_of(facts, rights.overlay, deed)
    if effect is Effect.DENY:
        return _refused(Code.PERMISSION_DENIED, {"resource": deed.resource})
    if effect is Effect.ALLOW or has_grant(tx, row.root, call, deed):
        return _verdict(Standing.GO)
    if wish.to is not None and asks_nobody(tx, row.root, tx.policy(row.policy), call):
        return _verdict(Standing.GO)  # it goes, or is held when it is accepted
    asked = next((ask for ask in tx.asks_of_call(call) if deed.is_of(ask, wish.body)), None)
    if asked is not None:
        return _told(asked)
    mode = mode_over(tx, row.root, call)
    adviser = _adviser(tx, row, deed, facts, mode)
    if adviser is not None and (counsel is None or counsel.by is not adviser):
        return Verdict(standing=Standing.CONSULT, adviser=adviser, ring=Ring())
    decided = _in_place_of_the_person(mode, counsel if adviser is not None else None)
    return _ask(tx, row, call, wish, deed, decided)


def _adviser(tx: Tx, row: TurnRow, deed: Deed, facts: AgentFacts, mode: ApprovalMode) -> Adviser | None:
    """Which models may give leave; nobody but the person may where the settings or a spent number say so."""
    policy = tx.policy(row.policy)
    if mode is ApprovalMode.YOLO or facts.never_auto_approve & {deed.action, deed.tool}:
        return None
    if mode is not ApprovalMode.ASK:
        return Adviser.CLASSIFIER
    if not policy.reviews or not tx.tree_rights(row.root).attended:
        return None
    is_spent = turn_of_request(tx, row).reviews >= policy.reviews_max
    return None if is_spent else Adviser.REVIEWERS


def _deed(tx: Tx, call: CallKey, wish: Wish, facts: AgentFacts) -> Deed | None:
    """What exactly is to be done. `None`: the call is refused anyway, so nobody is asked for leave."""
    if wish.to is None:
        known = next((r.resources for r in facts.shows if r.tool == wish.tool), None)
        if known is not None and wish.resource not in known:
            return None
        return Deed(action=wish.action, resource=wish.resource, tool=wish.tool)
    sender = tx.sender_of_call(call)
    to = resolve(tx, wish.to, wish.body, sender, facts) if sender else None
    if sender is None or not isinstance(to, RecipientRow):
        return None
    return deed_of(tx, sender, to, wish.tool)


def _told(ask: Ask) -> Verdict:
    match ask.state:
        case AskState.OPEN:
            return _verdict(Standing.WAITS)
        case AskState.APPROVED:
            return _verdict(Standing.GO)
        case AskState.EXPIRED:
            return _refused(Code.APPROVAL_EXPIRED, {})
        case _:
            return _refused(Code.PERMISSION_DENIED, {"by": ask.decided_by, "reason": ask.answer})


def _ask(
    tx: Tx, row: TurnRow, call: CallKey, wish: Wish, deed: Deed, decided: tuple[AskState, str] | None
) -> Verdict:
    """Ask the person, unless it was decided in the person's place; that is on record like an answer."""
    ask_s = tx.policy(row.policy).ask_s
    new = NewAsk(
        kind=AskKind.APPROVAL, root=row.root, session=row.session, branch=row.branch, turn=row.turn,
        call=call, action=deed.action, resource=deed.resource, recipient=deed.recipient, tool=deed.tool,
        text=scrub(wish.body), due_us=None if decided else tx.now_us + ask_s * SECOND_US,
    )  # fmt: skip
    ask = tx.insert_ask(new)
    if decided is None:
        begin_wait(tx, row.session, row.branch, row.turn, call, NewWait(ask=ask.key))
        return _verdict(Standing.WAITS, due_us=ask.due_us)
    state, by = decided
    tx.end_ask(ask, state, by, scope=Scope.ONCE if state is AskState.APPROVED else None)
    if by == Adviser.REVIEWERS:
        tx.count_review(turn_of_request(tx, row))
    if state is AskState.APPROVED:
        return _verdict(Standing.GO)
    return _refused(Code.PERMISSION_DENIED, {"by": by, "reason": ""})


def _in_place_of_the_person(mode: ApprovalMode, counsel: Counsel | None) -> tuple[AskState, str] | None:
    """Without counsel of whom the mode of this moment says, only `yolo` decides."""
    if mode is ApprovalMode.YOLO:
        return AskState.APPROVED, mode
    if counsel is None:
        return None
    if counsel.opinion is Opinion.APPROVE:
        return AskState.APPROVED, counsel.by
    if counsel.opinion is Opinion.ESCALATE and mode is ApprovalMode.AUTO_APPROVE_Y:
        return AskState.APPROVED, mode
    if counsel.opinion is Opinion.ESCALATE and mode is ApprovalMode.AUTO_APPROVE_N:
        return AskState.DENIED, mode
    return None


def collect_ask(tx: Tx, turn: Turn, call: CallKey) -> bool:
    """Whether the ask that a call waits for has ended; then the turn goes on."""
    tx.own(turn.key, turn.fence)
    wait = tx.wait_of_call(call)
    ask = tx.ask_row(wait.ask) if wait and wait.ask else None
    if ask is not None and ask.state == AskState.OPEN:
        return False
    if wait is not None:
        end_wait(tx, turn.session, turn.branch, turn.key, call, goes_on=True)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an agent asks the person; `options` are the answers it offers."""

    text: str
    options: Sequence[str] = ()


def open_question(tx: Tx, turn: Turn, call: CallKey, question: Question) -> Refusal | None:
    """Ask the person; the call waits until they answer. Asking again finds the first question.

    Mail never answers it (G10). Refuses `invalid_body`, and `unattended` where nobody could answer.
    """
    row = tx.owned(turn.key, turn.fence)
    if tx.asks_of_call(call):
        return None
    code = guards.check_body(question.text, tx.policy(row.policy).body_bytes_max)
    if code is None and not tx.tree_rights(row.root).attended:
        code = Code.UNATTENDED
    if code is not None:
        return Refusal(code=code)
    new = NewAsk(
        kind=AskKind.QUESTION, root=row.root, session=row.session, branch=row.branch, turn=row.turn,
        call=call, action="ask", resource="person", recipient=None, tool="ask_user", text=question.text,
        options=json.dumps(list(question.options)),
    )  # fmt: skip
    ask = tx.insert_ask(new)
    begin_wait(tx, row.session, row.branch, row.turn, call, NewWait(ask=ask.key))
    return None


def collect_answer(tx: Tx, turn: Turn, call: CallKey, render: RenderAnswer) -> str | None:
    """The person's answer as the call's result; `None` while they have not answered.

    A question that was withdrawn under a turn that lives is one that nobody is there to answer.
    """
    tx.own(turn.key, turn.fence)
    ask = next(iter(tx.asks_of_call(call)), None)
    if ask is None or ask.state == AskState.OPEN:
        return None
    end_wait(tx, turn.session, turn.branch, turn.key, call)
    is_answered = ask.state == AskState.ANSWERED
    text = render(ask.answer if is_answered else Refusal(code=Code.UNATTENDED))
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=not is_answered)
    return text


def _verdict(standing: Standing, *, due_us: int | None = None) -> Verdict:
    return Verdict(standing=standing, ring=Ring(due_us=due_us))


def _refused(code: Code, facts: dict[str, str | int]) -> Verdict:
    return Verdict(standing=Standing.REFUSED, refusal=Refusal(code=code, facts=facts), ring=Ring())
