"""The one place where mail is accepted (flow step 2).

Everything is decided inside the transaction on counts read in it: two senders can never share the
last place (CK-28). A refusal writes its event to the sender's log only and leaves nothing else
(CK-29). The call's result is written here too: the call's row is the idempotency record (CK-11).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.event import EventKind, actor_of
from postroom.domain.message import Kind, Mode
from postroom.domain.policy import Policy
from postroom.domain.receipt import Candidate, Code, Receipt, Refusal
from postroom.domain.turn import LIVE_STATES, CallState, EndedBy
from postroom.errors import StaleFence
from postroom.rules import guards, naming
from postroom.rules.permissions import Effect, read_overlay
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.receipts import first_receipt, recipient_state
from postroom.service.rights import Deed, is_allowed
from postroom.service.start import Started, start
from postroom.service.wake import wake_recipient
from postroom.store.rows import RecipientRow, SenderRow, SentRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

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
    may_start: bool = False
    """The runtime holds a free slot of the tree: an idle recipient may start in this commit."""


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
    policy = tx.policy(sender.policy)
    facts = directory(sender.team, sender.profile)
    found = resolve(tx, draft.to, draft.body, sender, facts)
    if isinstance(found, RecipientRow):
        found = _may(tx, draft, sender, found, facts)
    if isinstance(found, RecipientRow):
        found = _guard(tx, sender, found, policy) or found
    if not isinstance(found, RecipientRow):
        return _refused(tx, draft, sender, found if isinstance(found, Refusal) else Refusal(code=found))
    return _accepted(tx, draft, sender, found, directory)


def resolve(
    tx: Tx, to: str, body: str, sender: SenderRow, facts: AgentFacts | None
) -> RecipientRow | Refusal:
    """Who would read it: everything that is decided before anybody is asked for leave."""
    policy = tx.policy(sender.policy)
    if not policy.messaging_enabled:
        return Refusal(code=Code.DISABLED)
    if (code := guards.check_body(body, policy.body_bytes_max)) is not None:
        return Refusal(code=code)
    return _find(tx, to, sender, facts)


def _find(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> RecipientRow | Refusal:
    """Address, self, tree (CK-8, CK-22)."""
    found = _addressed(tx, to, sender)
    if found is None and naming.is_uuid(to):
        return Refusal(code=Code.UNKNOWN_SESSION, facts={"to": to})
    if found is None:
        return _unknown(tx, to, sender, facts)
    if found.branch == sender.branch:
        return Refusal(code=Code.SELF_SEND)
    if found.root != sender.root:
        return Refusal(code=Code.NOT_TREE_PEER, facts={"to": to})
    return found


def _addressed(tx: Tx, to: str, sender: SenderRow) -> RecipientRow | None:
    """An id first, else an exact handle of the sender's tree; never a part of one (systems.md 3.3)."""
    if naming.is_uuid(to):
        return tx.recipient_by_public_id(sender.branch, to.lower())
    return tx.recipient_by_handle(sender.branch, sender.root, to)


def _may(
    tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, facts: AgentFacts | None
) -> RecipientRow | Refusal:
    """The rights of this moment; a deed that needs asking was asked for before this call was made (CK-6)."""
    label = relation_of(sender, to.branch, to.parent_branch)
    key = Deed(action="message", resource=label, recipient=to.branch, tool=draft.tool)
    if facts is not None and is_allowed(tx, sender.root, draft.call, facts, sender.overlay, key, draft.body):
        return to
    return Refusal(code=Code.PERMISSION_DENIED, facts={"to": draft.to, "relation": label})


def _unknown(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> Refusal:
    """The candidates are the peers that this sender may write to, and nobody else."""
    rules = read_overlay(sender.overlay)
    peers = [
        Candidate(handle=p.handle, description=p.title, status=p.status or "idle", session_id=p.public_id)
        for p in tx.peers_of_tree(sender.root, sender.branch)
        if facts is not None
        and facts.effect(rules, "message", relation_of(sender, p.branch, p.parent_branch)) is not Effect.DENY
    ]
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": to[:64]}, candidates=tuple(peers))


def relation_of(sender: SenderRow, branch: int, parent: int | None) -> str:
    """The label of a peer of the tree, as rules name it."""
    return naming.relation(sender.branch, sender.parent_branch, branch, parent)


def _guard(tx: Tx, sender: SenderRow, to: RecipientRow, policy: Policy) -> Code | None:
    """Guards on numbers read in this transaction; the recipient's policy rules its mailbox."""
    recipient = tx.policy(to.policy)
    return (
        guards.check_chain(sender.chain_now)
        or guards.check_mailbox(to.n_cap, to.n_waiting, recipient)
        or guards.check_pair(to.unacked or 0, recipient)
        or guards.check_hop(sender.messages, policy)
    )


def _accepted(tx: Tx, draft: Draft, sender: SenderRow, to: RecipientRow, directory: Directory) -> Sent:
    state, ring = recipient_state(tx, to), Ring()
    letter = Letter(
        kind=Kind.MAIL, mode=draft.mode, body=draft.body, chain=sender.chain, sender=sender.branch,
        sender_session=sender.session, sender_address=sender.address,
        sender_turn=sender.turn, call=draft.call, task=sender.task, messages=sender.messages + 1,
        generations=sender.generations, actor=actor_of(sender.branch),
    )  # fmt: skip
    message, public_id = tx.post(letter, to, state)
    receipt = Receipt(message_id=public_id, mode=draft.mode, recipient_state=state)
    text = draft.render(receipt)
    tx.end_call(
        sender.session,
        sender.turn,
        draft.call,
        EndedBy.TOOL,
        text,
        is_error=False,
        message=message,
        logged=True,
    )
    woken = wake_recipient(tx, ring, to)
    started = None
    if woken is not None and draft.may_start:
        outcome = start(tx, woken, directory)
        started, ring = (outcome if isinstance(outcome, Started) else None), outcome.ring
    return Sent(outcome=receipt, text=text, ring=ring, started=started)


def _refused(tx: Tx, draft: Draft, sender: SenderRow, refusal: Refusal) -> Sent:
    text = draft.render(refusal)
    event = f'{{"code":"{refusal.code}","call":{draft.call}}}'
    tx.event(
        sender.session, EventKind.MESSAGE_REFUSED, event, actor=actor_of(sender.branch), turn=sender.turn
    )
    tx.end_call(sender.session, sender.turn, draft.call, EndedBy.TOOL, text, is_error=True)
    return Sent(outcome=refusal, text=text, ring=Ring())


def _again(tx: Tx, draft: Draft, sender: SenderRow) -> Sent:
    """A retry of the same call gets the first receipt, past full windows; another message is refused."""
    first = tx.message_of_call(sender.call_message or 0)
    if first is None or not _is_same(tx, draft, sender, first):
        refusal = Refusal(code=Code.IDEMPOTENCY_CONFLICT)
        event = f'{{"code":"{refusal.code}","call":{draft.call}}}'
        actor = actor_of(sender.branch)
        tx.event(sender.session, EventKind.MESSAGE_REFUSED, event, actor=actor, turn=sender.turn)
        return Sent(outcome=refusal, text=draft.render(refusal), ring=Ring())
    receipt = first_receipt(first)
    return Sent(outcome=receipt, text=draft.render(receipt), ring=Ring())


def _is_same(tx: Tx, draft: Draft, sender: SenderRow, first: SentRow) -> bool:
    """Text, mode and recipient: a receipt never speaks of another message than the one asked for (CK-12)."""
    if first.body != draft.body or first.mode != draft.mode:
        return False
    to = _addressed(tx, draft.to, sender)
    return to is not None and to.branch == first.recipient
