"""Where a new branch begins, and how it is made (systems.md 1.6, `start_from`; 1.17, spawn roots).

A branch takes nodes only, up to the last place where every call has its result and all mail was answered:
never a mailbox, a task, an ask or a right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, NodeKey, SessionKey
from postroom.domain.receipt import Code, Refusal
from postroom.rules import naming
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.paths import snap
from postroom.service.contexts import chars_at
from postroom.service.fork import answered
from postroom.service.limits import NO_LIMITS
from postroom.service.meeting import can_reach, vantage_in, vantage_of
from postroom.service.paths import Path, Place, own_path
from postroom.store.rows import SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_branches import NewBranch

CLEAN, INHERIT = "clean", "inherit"
NUMBERED_MAX = 20
"""Agents of one name in a tree that are told apart by a number; later ones by random digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where a new branch begins: its session, the node that it goes on from, and how long that context is."""

    session: SessionKey
    node: NodeKey | None = None
    chars: int = 0
    limits: str = NO_LIMITS
    """What the new branch may do at most, as it is stored."""


def ground_of(tx: Tx, start_from: str, sender: SenderRow) -> Ground | Refusal:
    """The place that `start_from` names.

    Refuses `invalid_arguments` for what names no place, `head_missing` for half a place, `unknown_session`
    (also for one that the sender may not reach) and `unknown_node`.
    """
    if start_from == CLEAN:
        return Ground(session=sender.session)
    if start_from == INHERIT:
        return _on(tx, sender.session, answered(tx, sender.branch, _end(own_path(tx, sender.branch))))
    named, colon, node = (part.strip() for part in start_from.partition(":"))
    if not colon:
        return _refused(Code.INVALID_ARGUMENTS, start_from)
    if not named or not node:
        return _refused(Code.HEAD_MISSING, start_from)
    session = tx.session_by_public_id(named) if naming.is_uuid(named) else None
    if session is None or not _is_known(tx, sender, session.key):
        return _refused(Code.UNKNOWN_SESSION, start_from)
    return _at_node(tx, session.key, node) or _refused(Code.UNKNOWN_NODE, start_from)


def _is_known(tx: Tx, sender: SenderRow, session: SessionKey) -> bool:
    return session == sender.session or can_reach(tx, vantage_of(sender), vantage_in(tx, session))


def _at_node(tx: Tx, session: SessionKey, head: str) -> Ground | None:
    """Behind a node of a session, or at the end of one of its branches; sealed paths may be gone on from."""
    if naming.is_uuid(head):
        branch = tx.branch_of_public_id(session, head)
        return None if branch is None else _on(tx, session, answered(tx, branch, _end(own_path(tx, branch))))
    node = naming.node_number(head)
    branch = None if node is None else tx.branch_through(session, node)
    if node is None or branch is None:
        return None
    steps = tuple(tx.steps_to_head(NodeKey(node)))
    path = Path(branch=branch, branch_id="", steps=steps)
    return _on(tx, session, answered(tx, branch, _end(path)))


def _end(path: Path) -> Place:
    return Place(path=path, kept=snap(path.steps, len(path.steps)))


def _on(tx: Tx, session: SessionKey, place: Place) -> Ground:
    return Ground(session=session, node=place.node, chars=chars_at(tx, place))


def _refused(code: Code, start_from: str) -> Refusal:
    return Refusal(code=code, facts={"start_from": start_from[:SHOWN_CHARS]})


def insert_spawn(tx: Tx, sender: SenderRow, ground: Ground, call: int, profile: str, name: str) -> BranchKey:
    """The branch that a call makes. Without a node to go on from, its caller is the answer with the call.

    It works where its maker works, also in another session: a conversation may be gone on from, and no
    directory comes with it.
    """
    is_elsewhere = tx.session_row(ground.session).cwd != sender.cwd
    new = NewBranch(
        session=ground.session, parent_branch=sender.branch, made_by_call=call, profile=profile, name=name,
        head=ground.node, chars=ground.chars, caller=tx.head_of(sender.branch), limits=ground.limits,
        cwd=sender.cwd if is_elsewhere else "",
    )  # fmt: skip
    return tx.insert_branch(new, turn=sender.turn)


def name_spawn(tx: Tx, sender: SenderRow, session: SessionKey, branch: BranchKey, name: str) -> None:
    """Call the agent of a new session after its task, by a name that nobody else in its tree has."""
    free = next((one for one in _tries(name) if not tx.sessions_named(sender.root, one, 1)), None)
    tx.name_branch(
        session, branch, free or f"{name}-{tx.token()}", "label", locked=False, count=0,
        actor=actor_of(sender.branch),
    )  # fmt: skip


def _tries(name: str) -> Iterator[str]:
    """The name, then the same with a number; of very many agents for the same thing nobody counts each."""
    yield name
    yield from (f"{name}-{number}" for number in range(2, NUMBERED_MAX + 1))
