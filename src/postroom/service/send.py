"""The one place where mail is accepted (flow step 2).

Everything is decided inside the transaction on counts read in it: two senders can never share the
last place (CK-28). A refusal writes its event to the sender's log only and leaves nothing else
(CK-29). The call's result is written here too: the call's row is the idempotency record (CK-11).
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import CallKey, MessageKey
from postroom.domain.message import Kind, Mode
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.domain.turn import LIVE_STATES, CallState, EndedBy
from postroom.errors import StaleFence
from postroom.rules import guards
from postroom.service.addresses import find_recipient
from postroom.service.admission import Intent, check_guards, check_hold, check_rights, deed_of
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.limits import facts_of_sender
from postroom.service.outbox import Plea, hold, is_held
from postroom.service.overflow import make_room
from postroom.service.receipts import address_of, address_of_sender, first_receipt, recipient_state
from postroom.service.start import Started, start
from postroom.service.wake import wake_recipient
from postroom.store.rows import RecipientRow, SenderRow, SentRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_turns import NewTask

DESCRIPTION_CHARS = 200
"""What is kept of a description: it is a label, the prompt is the task."""
Render: TypeAlias = Callable[[Receipt | Refusal], str]
"""The surface's words for the outcome: the text that the calling model reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a tool call asks to send. The sender is the call's turn, never a field (G5)."""

    call: int
    fence: int
    to: str
    body: str
    mode: Mode
    render: Render
    tool: str = "send_message"
    kind: Kind = Kind.MAIL
    """`mail`, or `task`: its end is awaited, tracked and reported."""
    profile: str = ""
    """As whom the recipient is to run; empty: as itself."""
    description: str = ""
    """Of a task: a few words for lists."""
    may_start: bool = False
    """The runtime holds a free slot of the recipient's pool: an idle recipient may start in this commit."""
    summed_up: AbstractSet[int] = frozenset()
    """Agents whose conversations are being summed up for the person: none of them starts meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The outcome, the text that is now the call's result, and what is to be looked at next."""

    outcome: Receipt | Refusal
    text: str
    ring: Ring
    started: Started | None = None


def accept(tx: Tx, draft: Draft, directory: Directory) -> Sent:
    """Accept one message of an agent, or refuse it; durable with its call's result on return."""
    sender = tx.sender_of_call(draft.call)
    if sender is None or sender.fence != draft.fence or sender.turn_state not in LIVE_STATES:
        msg = f"call {draft.call} does not belong to a running turn"
        raise StaleFence(msg)
    if sender.call_message is not None:
        return _again(tx, draft, sender)
    if sender.call_state == CallState.ENDED:
        msg = f"call {draft.call} was refused already, and its turn has read so"
        raise StaleFence(msg)
    facts = facts_of_sender(tx, directory, sender)
    found = resolve(tx, draft.to, draft.body, sender, facts)
    if isinstance(found, RecipientRow):
        found = check_rights(tx, sender, found, _intent(draft), directory) or found
    if isinstance(found, Refusal):
        return _refused(tx, draft, sender, found)
    assert facts is not None  # noqa: S101 -- without facts it has no right
    plea = Plea(call=draft.call, deed=deed_of(tx, sender, found, draft.tool), facts=facts, body=draft.body)
    if is_held(tx, sender, found, plea):
        return _held(tx, draft, sender, found, plea)
    if (refusal := check_guards(tx, sender, found, draft.body)) is not None:
        return _refused(tx, draft, sender, refusal)
    return _accepted(tx, draft, sender, found, directory)


def _intent(draft: Draft) -> Intent:
    return Intent(call=CallKey(draft.call), body=draft.body, tool=draft.tool, profile=draft.profile)


def resolve(
    tx: Tx, to: str, body: str, sender: SenderRow, facts: AgentFacts | None
) -> RecipientRow | Refusal:
    """Who would read it: everything that is decided before anybody is asked for leave."""
    policy = tx.policy(sender.policy)
    if not policy.messaging_enabled:
        return Refusal(code=Code.DISABLED)
    limits = sender.chain_now.limits
    if (code := guards.check_messages(sender.messages, limits)) is not None:
        facts_of_it: dict[str, str | int] = {"spent": sender.messages, "limit": limits.messages_max or 0}
        return Refusal(code=code, facts=facts_of_it)
    if (code := guards.check_body(body, policy.body_bytes_max)) is not None:
        return Refusal(code=code)
    return find_recipient(tx, to, sender, facts)


def _accepted(tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, directory: Directory) -> Sent:
    ring, recipient = Ring(), tx.policy(to.policy)
    if make_room(tx, ring, to, recipient):
        to = tx.recipient_by_branch(sender.branch, to.branch)
    state, mode = recipient_state(tx, to), _mode(draft, recipient)
    message, public_id = tx.post(_letter(tx, draft, sender, mode), to, state)
    waits = to.turn is not None or to.paused_by is not None or to.n_steer + to.n_queue > 0
    task_id = _track(tx, draft, sender, to, message, is_pending=waits)
    woken = wake_recipient(tx, ring, to)
    receipt = Receipt(
        message_id=public_id, mode=mode, recipient_state=state,
        address=address_of(tx, to, sender.policy), task_id=task_id,
        waits=woken is None, stopped=to.paused_by is not None,
    )  # fmt: skip
    text = _told(tx, draft, sender, receipt, message)
    started = None
    if woken is not None and draft.may_start and to.branch not in draft.summed_up:
        outcome = start(tx, woken, directory)
        started = outcome if isinstance(outcome, Started) else None
        if isinstance(outcome, Started) or outcome.occasion is None:  # else it waits, to be summed up first
            ring.woken = [waiting for waiting in ring.woken if waiting.turn != woken]
        ring.take(outcome.ring)
    return Sent(outcome=receipt, text=text, ring=ring, started=started)


def _mode(draft: Draft, recipient: Policy) -> Mode:
    """Where mail may not join a running turn, all of it opens turns of its own."""
    return draft.mode if recipient.mail_joins else Mode.QUEUE


def _held(tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, plea: Plea) -> Sent:
    """It stays with its sender until the person gives leave. What is spent for good is refused at once."""
    if (refusal := check_hold(tx, sender, to, draft.body)) is not None:
        return _refused(tx, draft, sender, refusal)
    mode = _mode(draft, tx.policy(to.policy))
    message, public_id = hold(tx, sender, to, _letter(tx, draft, sender, mode), plea)
    task_id = _track(tx, draft, sender, to, message, is_pending=True)
    receipt = Receipt(
        message_id=public_id, mode=mode, recipient_state=recipient_state(tx, to),
        address=address_of(tx, to, sender.policy),
        task_id=task_id, held=True,
    )  # fmt: skip
    text = _told(tx, draft, sender, receipt, message)
    return Sent(outcome=receipt, text=text, ring=Ring())


def _letter(tx: Tx, draft: Draft, sender: SenderRow, mode: Mode) -> Letter:
    owes = draft.kind is Kind.TASK or tx.policy(sender.policy).answers_mail
    return Letter(
        kind=draft.kind, mode=mode, body=draft.body, chain=sender.chain, sender=sender.branch,
        sender_session=sender.session, sender_address=address_of_sender(tx, sender),
        sender_turn=sender.turn, call=draft.call, task=sender.task, messages=sender.messages + 1,
        generations=sender.generations, actor=actor_of(sender.branch), owes=owes, profile=draft.profile,
    )  # fmt: skip


def _track(
    tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, message: MessageKey, *, is_pending: bool
) -> str:
    """The id of the task beside its message: pending until a turn can be made for it. Mail has none."""
    if draft.kind is not Kind.TASK:
        return ""
    return tx.insert_task(to.session, NewTask(
        task=message, dispatcher=sender.branch, turn=sender.turn, target=to.branch, parent=sender.task,
        description=draft.description[:DESCRIPTION_CHARS], background=True, made_agent=False,
        is_pending=is_pending,
    ))  # fmt: skip


def _told(tx: Tx, draft: Draft, sender: SenderRow, receipt: Receipt, message: MessageKey) -> str:
    """The receipt as the result of the call, whose end stands in the log with the message."""
    text = draft.render(receipt)
    tx.end_call(
        sender.session, sender.turn, draft.call, EndedBy.TOOL, text, is_error=False, message=message,
        logged=True,
    )  # fmt: skip
    return text


def _refused(tx: Tx, draft: Draft, sender: SenderRow, refusal: Refusal) -> Sent:
    text = draft.render(refusal)
    _log_refusal(tx, draft, sender, refusal)
    tx.end_call(sender.session, sender.turn, draft.call, EndedBy.TOOL, text, is_error=True)
    return Sent(outcome=refusal, text=text, ring=Ring())


def _log_refusal(tx: Tx, draft: Draft, sender: SenderRow, refusal: Refusal) -> None:
    event = f'{{"code":"{refusal.code}","call":{draft.call}}}'
    actor = actor_of(sender.branch)
    tx.event(sender.session, EventKind.MESSAGE_REFUSED, event, actor=actor, turn=sender.turn)


def _again(tx: Tx, draft: Draft, sender: SenderRow) -> Sent:
    """A retry of the same call gets the first receipt, past full windows; another message is refused."""
    first = tx.message_of_call(sender.call_message or 0)
    if first is None or not _is_same(tx, draft, sender, first):
        refusal = Refusal(code=Code.IDEMPOTENCY_CONFLICT)
        _log_refusal(tx, draft, sender, refusal)
        return Sent(outcome=refusal, text=draft.render(refusal), ring=Ring())
    receipt = first_receipt(tx, first, sender.policy)
    return Sent(outcome=receipt, text=draft.render(receipt), ring=Ring())


def _is_same(tx: Tx, draft: Draft, sender: SenderRow, first: SentRow) -> bool:
    """Text, mode and recipient: a receipt never speaks of another message than the one asked for (CK-12)."""
    if first.body != draft.body or (draft.mode != first.mode and tx.policy(sender.policy).mail_joins):
        return False
    to = find_recipient(tx, draft.to, sender, None, archived=True)
    return isinstance(to, RecipientRow) and to.branch == first.recipient
