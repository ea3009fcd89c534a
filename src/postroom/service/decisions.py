"""What the person says to asks, and what they allow a tree to do. Every decision is written once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.ask import ApprovalMode, Ask, AskKind, AskState, Scope
from postroom.domain.keys import SessionKey, TurnKey
from postroom.domain.message import HARD_BODY_BYTES_MAX, Reason
from postroom.domain.receipt import Code, Refusal
from postroom.rules import guards
from postroom.rules.naming import id_of
from postroom.rules.permissions import Rule, best, read_overlay, strictness, write_overlay
from postroom.rules.text import scrub
from postroom.service.facts import Directory, Ring
from postroom.service.outbox import drop, flush_all, flush_to
from postroom.store.tx import Tx

ChangeRules: TypeAlias = Callable[[Sequence[Rule]], Sequence[Rule]]
"""What becomes of the person's rules over a tree."""
PERSON = "person"
TIME = "time"
REASON_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """An ask that has ended, and who waits for that."""

    ask: Ask
    ring: Ring


def approve(tx: Tx, ask_id: str, scope: Scope, directory: Directory) -> Decided | Refusal:
    """Give leave: for this call or this held message, or for this kind of deed in the whole tree.

    A held message goes at once, unless an older one to the same recipient still waits; with leave for the
    tree so does what else of the kind is held. Refuses
    `unknown_reference`, `already_decided`, and `invalid_arguments` for a question.
    """
    ask = _open(tx, ask_id, AskKind.APPROVAL)
    if isinstance(ask, Refusal):
        return ask
    if scope is Scope.TREE:
        tx.insert_grant(ask)
    decided = _end(tx, ask, AskState.APPROVED, scope=scope)
    _go_on(tx, decided.ring, ask, directory)
    return decided


def deny(tx: Tx, ask_id: str, reason: str, directory: Directory) -> Decided | Refusal:
    """Refuse leave; the agent reads the reason. A held message ends. Refuses as `approve` does."""
    ask = _open(tx, ask_id, AskKind.APPROVAL)
    if isinstance(ask, Refusal):
        return ask
    said = scrub(reason)[:REASON_CHARS]
    decided = _end(tx, ask, AskState.DENIED, answer=said)
    item = tx.held_of_message(ask.message, ask.recipient) if ask.message and ask.recipient else None
    if item is not None:
        drop(tx, decided.ring, item, Reason.DENIED, said)
    _go_on(tx, decided.ring, ask, directory)
    return decided


def _go_on(tx: Tx, ring: Ring, ask: Ask, directory: Directory) -> None:
    """What was decided may let go what is held for a recipient, and what waits behind that."""
    if ask.recipient is not None:
        flush_to(tx, ring, ask.recipient, directory)


def answer(tx: Tx, ask_id: str, text: str) -> Decided | Refusal:
    """Answer a question; only this does. Refuses as `approve` does, and `invalid_body`."""
    ask = _open(tx, ask_id, AskKind.QUESTION)
    if isinstance(ask, Refusal):
        return ask
    if (code := guards.check_body(text, HARD_BODY_BYTES_MAX)) is not None:
        return Refusal(code=code)
    return _end(tx, ask, AskState.ANSWERED, answer=text)


def expire_asks(tx: Tx) -> Ring:
    """End every ask whose time is over: not approved, and not denied by anybody (CK-6)."""
    ring = Ring()
    for ask in tx.due_asks():
        tx.end_ask(ask, AskState.EXPIRED, TIME)
        ring.decided.append((ask.turn, ask.call))
    return ring


def withdraw_asks(tx: Tx, turn: TurnKey) -> None:
    """The turn that waited is over: nobody needs an answer any more. What is asked for held mail stays."""
    for ask in tx.open_asks_of_turn(turn):
        tx.end_ask(ask, AskState.WITHDRAWN, "system")


def set_mode(tx: Tx, root: SessionKey, mode: ApprovalMode, directory: Directory) -> Ring:
    """Who decides the asks of a tree from now on. Calls that wait for the person go on waiting; what is held
    goes if it needs no leave by now. Forks keep their own.
    """
    ring = Ring()
    if tx.tree_rights(root).mode != mode:
        tx.set_mode(root, mode)
        flush_all(tx, ring, directory)
    return ring


def try_held(tx: Tx, directory: Directory) -> Ring:
    """What files allow has changed: what is held goes if it needs no leave by now."""
    ring = Ring()
    flush_all(tx, ring, directory)
    return ring


def set_attended(tx: Tx, root: SessionKey, *, attended: bool) -> Ring:
    """Whether somebody is there to answer a tree's questions from now on.

    Where nobody is, its open questions end. What leave is asked for stays open: it has a due time.
    """
    ring = Ring()
    if bool(tx.tree_rights(root).attended) != attended:
        tx.set_attended(root, attended=attended)
    for ask in () if attended else tx.open_asks_of_root(root):
        if ask.kind == AskKind.QUESTION:
            tx.end_ask(ask, AskState.WITHDRAWN, PERSON)
            ring.decided.append((ask.turn, ask.call))
    return ring


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaid:
    """The person's rules over a tree as they are stored, and whom what was held has woken."""

    overlay: str
    ring: Ring


def change_overlay(tx: Tx, root: SessionKey, change: ChangeRules, directory: Directory) -> Overlaid:
    """The person's rules over a tree, from the next call on.

    A grant that they tighten dies; what is held goes if it needs no leave by now.
    """
    before, ring = tx.tree_rights(root).overlay, Ring()
    rules = change(read_overlay(before))
    if before == (after := write_overlay(rules)):
        return Overlaid(overlay=after, ring=ring)
    tx.set_overlay(root, after)
    for grant in tx.live_grants(root):
        old, new = (best(one, grant.action, grant.resource) for one in (read_overlay(before), rules))
        if strictness(new) > strictness(old):
            tx.revoke_grant(root, grant.key)
    flush_all(tx, ring, directory)
    return Overlaid(overlay=after, ring=ring)


def _open(tx: Tx, ask_id: str, kind: AskKind) -> Ask | Refusal:
    ask = tx.ask_by_public_id(id_of(ask_id))
    if ask is None:
        return Refusal(code=Code.UNKNOWN_REFERENCE)
    if ask.kind != kind:
        return Refusal(code=Code.INVALID_ARGUMENTS, facts={"kind": ask.kind})
    if ask.state != AskState.OPEN:
        return Refusal(code=Code.ALREADY_DECIDED, facts={"state": ask.state, "by": ask.decided_by})
    if ask.due_us is not None and ask.due_us <= tx.now_us:  # its end is written by who runs the store
        return Refusal(code=Code.ALREADY_DECIDED, facts={"state": AskState.EXPIRED, "by": TIME})
    return ask


def _end(tx: Tx, ask: Ask, state: AskState, *, scope: Scope | None = None, answer: str = "") -> Decided:
    tx.end_ask(ask, state, PERSON, scope=scope, answer=answer)
    ended = tx.ask_row(ask.key)
    waits = [(ask.turn, ask.call)] if ask.message is None else []
    return Decided(ask=ended or ask, ring=Ring(decided=waits))
