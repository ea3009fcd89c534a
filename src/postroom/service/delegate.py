"""A delegation: a task for a new agent, or for an own child that has ended its last one.

What a new agent is, the policy says: a session with a handle, or a branch of a conversation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import BranchKey, MessageKey
from postroom.domain.message import Kind, Mode
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import LIVE_STATES, CallState, EndedBy
from postroom.errors import StaleFence, StoreFault
from postroom.rules import guards, names, naming
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.inherit import post_context
from postroom.service.limits import facts_of_sender, limits_for_child
from postroom.service.receipts import address_of, address_of_sender
from postroom.service.rights import Deed, is_allowed
from postroom.service.send import DESCRIPTION_CHARS
from postroom.service.spawn import Ground, ground_of, insert_spawn, name_spawn
from postroom.service.tasks import find_child
from postroom.service.waits import begin_wait, for_task
from postroom.service.wake import wake
from postroom.store.rows import RecipientRow, SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.store.tx_sessions import NewSession
from postroom.store.tx_turns import NewTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    """The child as its parent knows it; `waits` when the call is suspended until the task ends."""

    handle: str
    """Its address, as the parent's surface prints it."""
    task: MessageKey
    task_id: str
    waits: bool
    ring: Ring


RenderSpawned: TypeAlias = Callable[[Spawned], str]
"""The surface's words for a child that was started in the background."""


def started_text(spawned: Spawned) -> str:
    """What a parent reads of a child that works in the background, unless its surface says it otherwise."""
    return f"Started {spawned.handle} in the background. Its result will reach you by itself."


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a delegating call asks for. `background=False` keeps the call waiting for the end."""

    call: int
    fence: int
    profile: str
    """Whose profile the child gets; empty: the caller's own."""
    description: str
    prompt: str
    background: bool
    resume: str = ""
    """Handle or session id of an own child that gets the task; empty: a new child."""
    inherits: bool = False
    """The new child first reads the newest texts of its parent's conversation."""
    start_from: str = "clean"
    """Where a new branch begins: `clean`, `inherit`, or a place `SID:NODE` in any session."""
    archives: bool = False
    """Whether the child is archived when its task has ended."""
    tool: str = "delegate_subagent"
    render: RenderSpawned = started_text


def text_of_task(prompt: str, resume: str, *, inherits: bool) -> str:
    """What the person is shown when leave is asked for: the prompt, and what else goes to whom with it."""
    lines = [prompt]
    if resume:
        lines.append(f"(to an agent that exists: {resume})")
    if inherits:
        lines.append("(with the newest 64 KiB of text of this conversation)")
    return "\n\n".join(lines)


def delegate(tx: Tx, order: Order, directory: Directory) -> Spawned | Refusal:
    """The child, its task and its wake in one transaction; a retry of the call finds the first.

    Refuses, in this order, `generations_spent`, `messages_spent`, `fan_out_spent`, `unknown_profile`,
    `permission_denied`, `invalid_body`, `delegation_too_deep`, `chain_spent`, `delegation_full`; for a child
    that exists `not_your_child`, `invalid_arguments` (another profile), `target_stopped` and `child_running`
    in the place of the depth; for a place that is none what `ground_of` refuses. A refused one costs nothing.
    """
    sender = tx.sender_of_call(order.call)
    if sender is None or sender.fence != order.fence or sender.turn_state not in LIVE_STATES:
        raise StaleFence(f"call {order.call} does not belong to a running turn")
    if sender.call_message is not None:
        return _again(tx, order, sender)
    target = _target(tx, order, sender, directory)
    ground = ground_of(tx, order.start_from, sender) if target is None else None
    refusal = next((found for found in (target, ground) if isinstance(found, Refusal)), None)
    if refusal is not None:
        return _refused(tx, order, sender, refusal)
    if isinstance(target, RecipientRow):
        return _give_task(tx, order, sender, target.branch)
    facts, own = directory(sender.team, _profile(order, sender)), facts_of_sender(tx, directory, sender)
    assert isinstance(ground, Ground) and facts is not None and own is not None  # noqa: S101, PT018 -- see `_target`
    ground = replace(ground, limits=limits_for_child(tx, sender, own, ground.session))
    return _give_task(tx, order, sender, _new_child(tx, order, sender, ground, facts))


def _profile(order: Order, sender: SenderRow) -> str:
    return order.profile or sender.profile


def _target(tx: Tx, order: Order, sender: SenderRow, directory: Directory) -> RecipientRow | Refusal | None:
    """The child that gets the task, `None` for a new one. What is asked last is who else is busy."""
    code = _path_budget(sender) or _may(tx, order, sender, directory)
    if code is None and not order.resume and sender.depth >= tx.policy(sender.policy).depth_max:
        code = Code.DELEGATION_TOO_DEEP
    if code is not None:
        return Refusal(code=code, facts=_spent(sender, code))
    found = _resumable(tx, order, sender) if order.resume else None
    if isinstance(found, Refusal):
        return found
    code = _budget(tx, sender)
    return found if code is None else Refusal(code=code)


def _path_budget(sender: SenderRow) -> Code | None:
    """Generations, then messages, then this turn's agents (systems.md 1.6)."""
    limits = sender.chain_now.limits
    return (
        guards.check_generations(sender.generations, limits)
        or guards.check_messages(sender.messages, limits)
        or guards.check_fan_out(sender.fan_out, limits)
    )


def _spent(sender: SenderRow, code: Code) -> dict[str, str | int]:
    """How much of which budget is gone, for the words of a surface."""
    numbers = {
        Code.GENERATIONS_SPENT: (sender.generations, sender.generations_max),
        Code.MESSAGES_SPENT: (sender.messages, sender.messages_max),
        Code.FAN_OUT_SPENT: (sender.fan_out, sender.fan_out_max),
    }
    spent, limit = numbers.get(code, (0, 0))
    return {"spent": spent, "limit": limit or 0} if code in numbers else {}


def _may(tx: Tx, order: Order, sender: SenderRow, directory: Directory) -> Code | None:
    """The profile, the permission, the body. A child that exists needs the same leave as a new one."""
    own = facts_of_sender(tx, directory, sender)
    profile = _profile(order, sender)
    if directory(sender.team, profile) is None:
        return Code.UNKNOWN_PROFILE
    deed = Deed(action="delegate", resource=profile, tool=order.tool)
    text = text_of_task(order.prompt, order.resume, inherits=order.inherits)
    if own is None or not is_allowed(tx, sender.root, order.call, own, sender.overlay, deed, text):
        return Code.PERMISSION_DENIED
    return guards.check_body(order.prompt, tx.policy(sender.policy).body_bytes_max)


def _budget(tx: Tx, sender: SenderRow) -> Code | None:
    """The turns of the chain, and the queue for the slots of the tree."""
    policy = tx.policy(sender.policy)
    if (code := guards.check_chain(sender.chain_now)) is not None:
        return code
    if policy.waiting_max is None:
        return None
    full = tx.busy_turns_of_tree(sender.root) >= policy.concurrency + policy.waiting_max
    return Code.DELEGATION_FULL if full else None


def _resumable(tx: Tx, order: Order, sender: SenderRow) -> RecipientRow | Refusal:
    """An own direct child of the named profile that is neither stopped nor busy (systems.md 3.8)."""
    child = find_child(tx, sender.branch, order.resume)
    if child is None:
        return Refusal(code=Code.NOT_YOUR_CHILD, facts={"resume_session_id": order.resume[:SHOWN_CHARS]})
    if child.profile != order.profile:
        return Refusal(code=Code.INVALID_ARGUMENTS, facts={"agent_type of this child": child.profile})
    if child.paused_by is not None:
        return Refusal(code=Code.TARGET_STOPPED)
    if child.turn is not None or tx.open_task_of(child.branch) is not None:
        return Refusal(code=Code.CHILD_RUNNING)
    return child


def _refused(tx: Tx, order: Order, sender: SenderRow, refusal: Refusal) -> Refusal:
    """A refusal is in the caller's log (G12); its result is committed by the runtime."""
    event = f'{{"code":"{refusal.code}","call":{order.call}}}'
    actor = actor_of(sender.branch)
    tx.event(sender.session, EventKind.DELEGATION_REFUSED, event, actor=actor, turn=sender.turn)
    facts: dict[str, str | int] = {"profile": _profile(order, sender), **refusal.facts}
    return Refusal(code=refusal.code, facts=facts, candidates=refusal.candidates)


def _new_child(tx: Tx, order: Order, sender: SenderRow, ground: Ground, facts: AgentFacts) -> BranchKey:
    child = _MAKERS[tx.policy(sender.policy).spawns](tx, order, sender, ground, facts)
    if sender.chain_now.limits.fan_out_max is not None:
        tx.fan_out(sender.session, sender.turn, sender.fan_out + 1)
    return child


def _new_session(tx: Tx, order: Order, sender: SenderRow, ground: Ground, facts: AgentFacts) -> BranchKey:
    """A session of its own; its conversation may go on from a node of another, whose mail stays there."""
    profile = _profile(order, sender)
    new = NewSession(
        root=sender.root, parent=sender.session, parent_turn=sender.turn, parent_branch=sender.branch,
        made_by_call=order.call, origin="delegation", handle=_free_handle(tx, sender.root, profile),
        title=order.description[:DESCRIPTION_CHARS], cwd=sender.cwd, team=sender.team, policy=sender.policy,
        depth=sender.depth + 1, profile=profile,
    )  # fmt: skip
    session, branch, _ = tx.insert_session(new)
    if tx.policy(sender.policy).names_spawns:
        name_spawn(tx, sender, session, branch, _label(order, profile))
    if ground.node is not None:
        tx.begin_fork(
            session, branch, sender.branch, ground.node, ground.chars, actor=actor_of(sender.branch)
        )
    if order.inherits:
        post_context(tx, sender, branch, order.prompt, facts)
    return branch


def _new_branch(tx: Tx, order: Order, sender: SenderRow, ground: Ground, facts: AgentFacts) -> BranchKey:
    del facts
    profile = _profile(order, sender)
    return insert_spawn(tx, sender, ground, order.call, profile, _label(order, profile))


def _label(order: Order, profile: str) -> str:
    """What a new agent is called."""
    return names.label(order.description) or names.label(order.prompt) or names.label(profile) or "agent"


_MAKERS: Mapping[str, Callable[[Tx, Order, SenderRow, Ground, AgentFacts], BranchKey]] = {
    "session": _new_session,
    "branch": _new_branch,
}
"""By `Policy.spawns`."""


def _give_task(tx: Tx, order: Order, sender: SenderRow, child: BranchKey) -> Spawned:
    """The prompt, the task that awaits its answer, and the wake; a foreground call begins to wait."""
    message, ring = _post_prompt(tx, order, sender, child), Ring()
    to = tx.recipient_by_branch(None, child)
    task_id = tx.insert_task(to.session, NewTask(
        task=message, dispatcher=sender.branch, turn=sender.turn, target=child, parent=sender.task,
        description=order.description[:DESCRIPTION_CHARS], background=order.background,
        archives=order.archives,
    ))  # fmt: skip
    tx.set_call_message(order.call, message)
    wake(tx, ring, child)
    spawned = Spawned(
        handle=address_of(tx, to, sender.policy),
        task=message,
        task_id=task_id,
        waits=not order.background,
        ring=ring,
    )
    if spawned.waits:
        wait = for_task(tx, sender.session, message)
        begin_wait(tx, sender.session, sender.branch, sender.turn, order.call, wait)
        return spawned
    if tx.policy(sender.policy).merges_spawns:
        tx.attach_branch(sender, child, message, to.name, order.prompt)
    tx.end_call(
        sender.session, sender.turn, order.call, EndedBy.TOOL, order.render(spawned), is_error=False,
        message=message,
    )  # fmt: skip
    return spawned


def _post_prompt(tx: Tx, order: Order, sender: SenderRow, branch: BranchKey) -> MessageKey:
    """Agent text, never the person's (G10); on `tree` only mail carries the hop."""
    counted = tx.policy(sender.policy).path_counts_tasks
    letter = Letter(
        kind=Kind.PROMPT, mode=Mode.QUEUE, body=order.prompt, chain=sender.chain, sender=sender.branch,
        sender_session=sender.session, sender_address=address_of_sender(tx, sender),
        sender_turn=sender.turn, call=order.call, task=sender.task, generations=sender.generations + 1,
        messages=sender.messages + 1 if counted else 0, actor=actor_of(sender.branch), owes=True,
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
    first, task = tx.message_of_call(sender.call_message or 0), tx.task_row(sender.call_message or 0)
    if first is None or task is None or first.body != order.prompt:
        return Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    child = tx.recipient_by_branch(None, first.recipient)
    asked = find_child(tx, sender.branch, order.resume) if order.resume else child
    if asked is None or asked.branch != child.branch:
        return Refusal(code=Code.IDEMPOTENCY_CONFLICT)
    waits = not order.background
    if waits and sender.call_state == CallState.OPEN and tx.wait_of_call(order.call) is None:
        wait = for_task(
            tx, sender.session, first.message
        )  # a process before this one has died while it waited
        begin_wait(tx, sender.session, sender.branch, sender.turn, order.call, wait)
    return Spawned(
        handle=address_of(tx, child, sender.policy), task=first.message, task_id=task.public_id, waits=waits,
        ring=Ring(),
    )  # fmt: skip
