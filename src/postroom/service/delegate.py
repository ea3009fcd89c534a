"""A spawn: a new session with a handle, its first text, and the task that awaits its end."""

from dataclasses import dataclass

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, MessageKey
from postroom.domain.message import Kind, Mode
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import LIVE_STATES, EndedBy
from postroom.errors import StaleFence, StoreFault
from postroom.rules import guards, naming
from postroom.service.facts import Directory, Ring
from postroom.service.rights import Deed, is_allowed
from postroom.service.waits import begin_wait
from postroom.service.wake import wake
from postroom.store.rows import SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_sessions import NewSession

DESCRIPTION_CHARS = 200
"""What is kept of a description: it is a label, the prompt is the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a delegating call asks for. `background=False` keeps the call waiting for the end."""

    call: int
    fence: int
    profile: str
    description: str
    prompt: str
    background: bool
    tool: str = "delegate_subagent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    """The child as its parent knows it; `waits` when the call is suspended until the task ends."""

    handle: str
    task: MessageKey
    waits: bool
    ring: Ring


def delegate(tx: Tx, order: Order, directory: Directory) -> Spawned | Refusal:
    """Make the child, its task and its wake in one transaction; a retry of the call finds the first."""
    sender = tx.sender_of_call(order.call)
    if sender is None or sender.fence != order.fence or sender.turn_state not in LIVE_STATES:
        msg = f"call {order.call} does not belong to a running turn"
        raise StaleFence(msg)
    if sender.call_message is not None:
        return _again(tx, order, sender)
    code = _refuse(tx, order, sender, directory)
    if code is not None:
        event = f'{{"code":"{code}","call":{order.call}}}'
        tx.event(
            sender.session,
            EventKind.DELEGATION_REFUSED,
            event,
            actor=f"branch:{sender.branch}",
            turn=sender.turn,
        )
        return Refusal(code=code, facts={"profile": order.profile})
    return _spawn(tx, order, sender)


def _refuse(tx: Tx, order: Order, sender: SenderRow, directory: Directory) -> Code | None:
    """Permission, then body, then depth, the chain and the tree's queue for slots."""
    policy = tx.policy(sender.policy)
    facts = directory(sender.team, sender.profile)
    if directory(sender.team, order.profile) is None:
        return Code.UNKNOWN_PROFILE
    deed = Deed(action="delegate", resource=order.profile, tool=order.tool)
    if facts is None or not is_allowed(tx, sender.root, order.call, facts, sender.overlay, deed):
        return Code.PERMISSION_DENIED
    if (code := guards.check_body(order.prompt, policy)) is not None:
        return code
    if sender.depth >= policy.depth_max:
        return Code.DELEGATION_TOO_DEEP
    if (code := guards.check_chain(sender.chain_turns, sender.chain_turns_max)) is not None:
        return code
    full = tx.busy_turns_of_tree(sender.root) >= policy.concurrency + policy.waiting_max
    return Code.DELEGATION_FULL if full else None


def _spawn(tx: Tx, order: Order, sender: SenderRow) -> Spawned:
    handle, ring = _free_handle(tx, sender.root, order.profile), Ring()
    label = order.description[:DESCRIPTION_CHARS]
    new = NewSession(
        root=sender.root, parent=sender.session, parent_turn=sender.turn, parent_branch=sender.branch,
        made_by_call=order.call, origin="delegation", handle=handle, title=label, cwd=sender.cwd,
        team=sender.team, policy=sender.policy, depth=sender.depth + 1, profile=order.profile,
    )  # fmt: skip
    session, branch, _ = tx.insert_session(new)
    message = _post_prompt(tx, order, sender, branch)
    tx.insert_task(
        message, session, sender.branch, sender.turn, branch, sender.task, label,
        background=order.background,
    )  # fmt: skip
    tx.set_call_message(order.call, message)
    wake(tx, ring, branch)
    if order.background:
        text = f"Started {handle} in the background. Its result will reach you by itself."
        tx.end_call(
            sender.session, sender.turn, order.call, EndedBy.TOOL, text, is_error=False, message=message
        )
    else:
        begin_wait(tx, sender.session, sender.branch, sender.turn, order.call, task=message)
    return Spawned(handle=handle, task=message, waits=not order.background, ring=ring)


def _post_prompt(tx: Tx, order: Order, sender: SenderRow, branch: BranchKey) -> MessageKey:
    """Agent text, never the person's (G10); on `tree` only mail carries the hop."""
    letter = Letter(
        kind=Kind.PROMPT, mode=Mode.QUEUE, body=order.prompt, chain=sender.chain, sender=sender.branch,
        sender_session=sender.session, sender_address=sender.handle or sender.public_id,
        sender_turn=sender.turn, call=order.call, task=sender.task, generations=sender.generations + 1,
        actor=f"branch:{sender.branch}",
    )  # fmt: skip
    message, _ = tx.post(letter, tx.recipient_by_branch(sender.branch, branch), "queued")
    return message


def _free_handle(tx: Tx, root: int, profile: str) -> str:
    for _ in range(naming.HANDLE_ATTEMPTS):
        handle = naming.handle(profile, tx.token())
        if not tx.handle_taken(root, handle):
            return handle
    msg = f"no free handle for {profile} in {naming.HANDLE_ATTEMPTS} tries"
    raise StoreFault(msg, remedy="the source of random handles is broken")


def _again(tx: Tx, order: Order, sender: SenderRow) -> Spawned | Refusal:
    first = tx.message_of_call(sender.call_message or 0)
    if first is None or first.body != order.prompt:
        return Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    child = tx.branch_row(first.recipient)
    handle = tx.session_row(child.session).handle or ""
    return Spawned(handle=handle, task=first.message, waits=not order.background, ring=Ring())
