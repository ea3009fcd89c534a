"""The one place where mail is accepted (flow step 2).

Everything is decided inside the transaction on counts read in it: two senders can never share the
last place (CK-28). A refusal writes its event to the sender's log only and leaves nothing else
(CK-29). The call's result is written here too: the call's row is the idempotency record (CK-11).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import BranchKey, CallKey, MessageKey, TurnKey
from postroom.domain.message import HeldFor, Kind, Mode
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.domain.turn import LIVE_STATES, CallState, EndedBy
from postroom.errors import StaleFence
from postroom.rules import guards
from postroom.service.addresses import find_recipient
from postroom.service.admission import Intent, check_guards, check_hold, check_rights, deed_of
from postroom.service.bus_post import Notice, first_posted, post
from postroom.service.clearing import make_room
from postroom.service.draft import Draft, Sent
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.limits import facts_of_sender
from postroom.service.masking import log_true_reason, masked
from postroom.service.outbox import Plea, hold, keeps_outbox, let_older_go, may_hold, why_held
from postroom.service.receipts import address_of, address_of_sender, first_receipt, recipient_state
from postroom.service.start import Started, start
from postroom.service.waits import Edge, begin_wait, for_task, would_deadlock
from postroom.service.wake import wake_recipient
from postroom.store.rows import RecipientRow, SenderRow, SentRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_rosters import Post
from postroom.store.tx_turns import NewTask

DESCRIPTION_CHARS = 200
"""What is kept of a description: it is a label, the prompt is the task."""
SECOND_US = 1_000_000


def accept(tx: Tx, draft: Draft, directory: Directory) -> Sent:
    """Accept one message of an agent, or refuse it; durable with its call's result on return."""
    sender = tx.sender_of_call(draft.call)
    if sender is None or sender.fence != draft.fence or sender.turn_state not in LIVE_STATES:
        raise StaleFence(f"call {draft.call} does not belong to a running turn")
    if sender.call_message is not None:
        return _again(tx, draft, sender)
    if sender.call_state == CallState.ENDED:
        raise StaleFence(f"call {draft.call} was refused already, and its turn has read so")
    return _WAYS.get(tx.policy(sender.policy).addressing, _to_mailboxes)(tx, draft, sender, directory)


def _to_mailboxes(tx: Tx, draft: Draft, sender: SenderRow, directory: Directory) -> Sent:
    """To one agent, or to each of several, who are known at once."""
    facts = facts_of_sender(tx, directory, sender)
    ring, addresses = Ring(), (draft.to, *draft.also)
    ways = [_find_way(tx, ring, draft, address, sender, facts, directory) for address in addresses]
    if (refusal := _refusal_of(draft, ways)) is not None:
        return _refused(tx, draft, sender, refusal, ring)
    answers = _answered(tx, draft, sender)
    if isinstance(answers, Refusal):
        return _refused(tx, draft, sender, answers, ring)
    found: dict[BranchKey, Way] = {}
    for way in ways:  # two addresses of one agent are one recipient
        if isinstance(way, Way):
            found.setdefault(way.to.branch, way)
    return _go(tx, ring, draft, sender, list(found.values()), answers, directory)


def _to_selector(tx: Tx, draft: Draft, sender: SenderRow, directory: Directory) -> Sent:
    """To whoever the selector means when they read; nobody is woken by it."""
    notice = Notice(call=draft.call, selector=draft.to, body=draft.body, tool=draft.tool)
    posted = post(tx, sender, notice, directory)
    if isinstance(posted, Refusal):
        return _refused(tx, draft, sender, posted)
    text = _told(tx, draft, sender, posted.receipt, posted.message)
    return Sent(outcome=posted.receipt, text=text, ring=Ring())


_WAYS: Mapping[str, Callable[[Tx, Draft, SenderRow, Directory], Sent]] = {"roster": _to_selector}
"""By `Policy.addressing`: what its addresses mean. What is not here names agents, who have mailboxes."""


class Hold(NamedTuple):
    """What keeps a message with its sender."""

    why: HeldFor
    plea: Plea


class Way(NamedTuple):
    """One recipient that may be written to, now or as soon as what it is held for is over."""

    to: RecipientRow
    hold: Hold | None


def _find_way(  # noqa: PLR0913 -- who writes what to whom, and all that decides on it
    tx: Tx, ring: Ring, draft: Draft, address: str, sender: SenderRow, facts: AgentFacts | None,
    directory: Directory,
) -> Way | Refusal:  # fmt: skip
    """Whom an address names, and whether it may be written to now, is to wait, or is refused."""
    found = resolve(tx, address, draft.body, sender, facts)
    if isinstance(found, RecipientRow):
        found = check_rights(tx, sender, found, _intent(draft), facts, directory) or found
    if isinstance(found, Refusal):
        return found
    assert facts is not None  # noqa: S101 -- without facts it has no right
    kept: Hold | None = None
    if may_hold(tx, sender, found):
        deed = deed_of(tx, sender, found, draft.tool)
        plea = Plea(call=draft.call, deed=deed, facts=facts, body=draft.body)
        found = let_older_go(tx, ring, sender, found, directory)
        why = why_held(tx, sender, found, plea)
        kept = None if why is None else Hold(why, plea)
    if draft.waits and kept is None and would_deadlock(tx, sender.branch, [Edge(found.branch)]):
        return Refusal(code=Code.WOULD_DEADLOCK, facts={"to": address_of(tx, found, sender.policy)})
    check = check_guards if kept is None else check_hold
    return check(tx, sender, found, draft.body) or Way(found, kept)


def _refusal_of(draft: Draft, ways: Sequence[Way | Refusal]) -> Refusal | None:
    """A group send is all or nothing: one recipient that is refused refuses it; each such one is named."""
    addresses = (draft.to, *draft.also)
    refused = [(to, way) for to, way in zip(addresses, ways, strict=True) if isinstance(way, Refusal)]
    if not draft.also or not refused:
        return refused[0][1] if refused else None
    facts: dict[str, str | int] = {"refused": len(refused), "of": len(addresses)}
    return Refusal(code=Code.SEVERAL_REFUSED, facts=facts, each=tuple(refused))


def _answered(tx: Tx, draft: Draft, sender: SenderRow) -> MessageKey | Refusal | None:
    """The mail that it answers: one that its sender was sent, by the number that it has there."""
    if draft.reply_to is None:
        return None
    found = tx.mail_numbered(sender.branch, draft.reply_to)
    if found is None or found.delivery.kind is not Kind.MAIL:
        return Refusal(code=Code.UNKNOWN_MESSAGE, facts={"n": draft.reply_to})
    return found.delivery.message


def _intent(draft: Draft) -> Intent:
    return Intent(
        call=CallKey(draft.call), body=draft.body, tool=draft.tool, profile=draft.profile,
        is_group=bool(draft.also),
    )  # fmt: skip


def resolve(
    tx: Tx, to: str, body: str, sender: SenderRow, facts: AgentFacts | None
) -> RecipientRow | Refusal:
    """Who would read it: everything that is decided before anybody is asked for leave."""
    policy = tx.policy(sender.policy)
    if not policy.messaging_enabled:
        return Refusal(code=Code.DISABLED)
    limits = sender.chain_now.limits
    if (code := guards.check_messages(sender.messages, limits)) is not None:
        return Refusal(code=code, facts={"spent": sender.messages, "limit": limits.messages_max or 0})
    if (code := guards.check_body(body, policy.body_bytes_max)) is not None:
        is_long = policy.refusals == "masked" and guards.is_too_long(body, policy.body_bytes_max)
        return Refusal(code=Code.MESSAGE_TOO_LARGE if is_long else code)
    return find_recipient(tx, to, sender, facts)


def _go(  # noqa: PLR0913 -- as above
    tx: Tx, ring: Ring, draft: Draft, sender: SenderRow, ways: Sequence[Way], answers: MessageKey | None,
    directory: Directory,
) -> Sent:  # fmt: skip
    """One message, and a delivery for each recipient; a send to one is a group of one."""
    ring.take(Ring(due_us=_due_us(tx, draft)))
    receipts = list[Receipt]()
    letter = _letter(tx, draft, sender, _mode(draft, tx.policy(ways[0].to.policy)), answers)
    message, public_id = tx.insert_message(letter)
    woken: TurnKey | None = None
    for way in ways:
        row, own = way.to, letter
        if len(ways) > 1:  # what the others' mailboxes had no room for may have been told to this one
            row = tx.recipient_by_branch(sender.branch, row.branch)
            own = replace(letter, mode=_mode(draft, tx.policy(row.policy)))
        posting = _Posting(message, public_id, own)
        if way.hold is not None:
            receipts.append(_hold(tx, draft, sender, row, way.hold, posting))
            continue
        receipt, turn = _post(tx, ring, draft, sender, row, posting)
        receipts.append(receipt)
        woken = turn if woken is None and row.branch not in draft.summed_up else woken
    receipt = replace(receipts[0], others=tuple(receipts[1:])) if len(receipts) > 1 else receipts[0]
    text = _told(tx, draft, sender, receipt, message)
    started = _start(tx, ring, woken, directory) if woken is not None and draft.may_start else None
    return Sent(outcome=receipt, text=text, ring=ring, started=started)


class _Posting(NamedTuple):
    """A message that is written, on its way to one of its recipients."""

    message: MessageKey
    public_id: str
    letter: Letter


def _post(
    tx: Tx, ring: Ring, draft: Draft, sender: SenderRow, to: RecipientRow, posting: _Posting
) -> tuple[Receipt, TurnKey | None]:
    """Into the mailbox; the turn that this has opened, if it has."""
    if make_room(tx, ring, to, tx.policy(to.policy)):
        to = tx.recipient_by_branch(sender.branch, to.branch)
    state = recipient_state(tx, to)
    letter = replace(posting.letter, keeps_outbox=True) if keeps_outbox(tx, sender, to) else posting.letter
    tx.deliver(posting.message, letter, to, state)
    waits = to.turn is not None or to.paused_by is not None or to.n_steer + to.n_queue > 0
    task_id = _track(tx, draft, sender, to, posting.message, is_pending=waits)
    woken = wake_recipient(tx, ring, to)
    return Receipt(
        message_id=posting.public_id, mode=posting.letter.mode, recipient_state=state,
        address=address_of(tx, to, sender.policy), task_id=task_id, number=to.mailbox_seq + 1,
        waits=woken is None, stopped=to.paused_by is not None,
    ), woken  # fmt: skip


def _start(tx: Tx, ring: Ring, woken: TurnKey, directory: Directory) -> Started | None:
    """The turn of an idle recipient starts in this commit, unless there is a conversation to be summed up."""
    outcome = start(tx, woken, directory)
    started = outcome if isinstance(outcome, Started) else None
    if isinstance(outcome, Started) or outcome.occasion is None:  # else it waits, to be summed up first
        ring.woken = [waiting for waiting in ring.woken if waiting.turn != woken]
    ring.take(outcome.ring)
    return started


def _due_us(tx: Tx, draft: Draft) -> int | None:
    return None if draft.expires_in_s is None else tx.now_us + draft.expires_in_s * SECOND_US


def _mode(draft: Draft, recipient: Policy) -> Mode:
    """Where mail may not join a running turn, all of it opens turns of its own."""
    return draft.mode if recipient.mail_joins else Mode.QUEUE


def _hold(
    tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, kept: Hold, posting: _Posting
) -> Receipt:
    """It stays with its sender until it may go."""
    state = recipient_state(tx, to)
    hold(tx, sender, to, posting.message, posting.letter, kept.plea, kept.why)
    task_id = _track(tx, draft, sender, to, posting.message, is_pending=True)
    return Receipt(
        message_id=posting.public_id, mode=posting.letter.mode, recipient_state=state,
        address=address_of(tx, to, sender.policy), task_id=task_id, held=True, held_for=kept.why,
        stopped=to.paused_by is not None,
    )  # fmt: skip


def _letter(tx: Tx, draft: Draft, sender: SenderRow, mode: Mode, answers: MessageKey | None) -> Letter:
    owes = draft.kind is Kind.TASK or tx.policy(sender.policy).answers_mail
    return Letter(
        kind=draft.kind, mode=mode, body=draft.body, chain=sender.chain, sender=sender.branch,
        sender_session=sender.session, sender_address=address_of_sender(tx, sender),
        sender_turn=sender.turn, call=draft.call, task=sender.task, messages=sender.messages + 1,
        generations=sender.generations, actor=actor_of(sender.branch), owes=owes, profile=draft.profile,
        goes_on=draft.waits, reply_to=answers, expires_us=_due_us(tx, draft),
    )  # fmt: skip


def _track(
    tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, message: MessageKey, *, is_pending: bool
) -> str:
    """The id of the task beside its message: pending until a turn can be made for it. Mail has none."""
    if draft.kind is not Kind.TASK:
        return ""
    return tx.insert_task(to.session, NewTask(
        task=message, dispatcher=sender.branch, turn=sender.turn, target=to.branch, parent=sender.task,
        description=draft.description[:DESCRIPTION_CHARS], background=not draft.waits, made_agent=False,
        is_pending=is_pending,
    ))  # fmt: skip


def _told(tx: Tx, draft: Draft, sender: SenderRow, receipt: Receipt, message: MessageKey) -> str:
    """The receipt as the result of the call, whose end stands in the log with the message.

    A call that waits for the end of its task has no result yet.
    """
    if draft.waits and not receipt.held:
        tx.set_call_message(draft.call, message)
        _wait_for(tx, draft, sender, message)
        return ""
    text = draft.render(receipt)
    tx.end_call(
        sender.session, sender.turn, draft.call, EndedBy.TOOL, text, is_error=False, message=message,
        logged=True,
    )  # fmt: skip
    return text


def _wait_for(tx: Tx, draft: Draft, sender: SenderRow, task: MessageKey) -> None:
    wait = for_task(tx, sender.session, task)
    begin_wait(tx, sender.session, sender.branch, sender.turn, draft.call, wait)


def _refused(tx: Tx, draft: Draft, sender: SenderRow, refusal: Refusal, ring: Ring | None = None) -> Sent:
    found = masked(tx.policy(sender.policy), refusal)
    told = replace(found, why="") if found.why else found
    text = draft.render(told)
    _log_refusal(tx, draft, sender, told)
    log_true_reason(tx, sender, draft.call, found)
    tx.end_call(sender.session, sender.turn, draft.call, EndedBy.TOOL, text, is_error=True)
    return Sent(outcome=told, text=text, ring=ring or Ring())


def _log_refusal(tx: Tx, draft: Draft, sender: SenderRow, refusal: Refusal) -> None:
    event = f'{{"code":"{refusal.code}","call":{draft.call}}}'
    actor = actor_of(sender.branch)
    tx.event(sender.session, EventKind.MESSAGE_REFUSED, event, actor=actor, turn=sender.turn)


def _again(tx: Tx, draft: Draft, sender: SenderRow) -> Sent:
    """A retry of the same call gets the first receipt, past full windows; another message is refused."""
    if (posted := tx.post_row(sender.call_message or 0)) is not None:
        return _posted_again(tx, draft, sender, posted)
    sent = tx.sent_of_message(sender.call_message or 0)
    if not sent or not _is_same(tx, draft, sender, sent):
        return _conflict(tx, draft, sender)
    first, *others = (first_receipt(tx, row, sender.policy) for row in sent)
    receipt = replace(first, others=tuple(others)) if others else first
    if draft.waits and sender.call_state == CallState.OPEN and tx.wait_of_call(draft.call) is None:
        _wait_for(tx, draft, sender, sent[0].message)  # a process before this one has died while it waited
    return Sent(outcome=receipt, text=draft.render(receipt), ring=Ring())


def _posted_again(tx: Tx, draft: Draft, sender: SenderRow, first: Post) -> Sent:
    """The same for what stands on a bus."""
    if (first.body, first.selector) != (draft.body, draft.to):
        return _conflict(tx, draft, sender)
    receipt = first_posted(tx, first)
    return Sent(outcome=receipt, text=draft.render(receipt), ring=Ring())


def _conflict(tx: Tx, draft: Draft, sender: SenderRow) -> Sent:
    refusal = Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    _log_refusal(tx, draft, sender, refusal)
    return Sent(outcome=refusal, text=draft.render(refusal), ring=Ring())


def _is_same(tx: Tx, draft: Draft, sender: SenderRow, sent: Sequence[SentRow]) -> bool:
    """Text, mode and recipients: a receipt never speaks of another message than the one asked for (CK-12)."""
    addresses = (draft.to, *draft.also)
    found = [find_recipient(tx, address, sender, None, archived=True) for address in addresses]
    rows = {row.branch: row for row in found if isinstance(row, RecipientRow)}
    if sent[0].body != draft.body or not all(isinstance(row, RecipientRow) for row in found):
        return False
    return {row.recipient for row in sent} == rows.keys() and all(
        row.mode == _mode(draft, tx.policy(rows[row.recipient].policy)) for row in sent
    )
