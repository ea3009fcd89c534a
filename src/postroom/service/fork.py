"""Fork: a conversation goes on twice. Its nodes are shared, and nothing that waits, runs or was promised."""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey
from postroom.domain.message import HARD_WAITING_MAX
from postroom.domain.node import Role
from postroom.domain.receipt import Code, Refusal
from postroom.rules.paths import fork_title, snap
from postroom.rules.permissions import NO_RULES
from postroom.service.contexts import chars_at
from postroom.service.paths import Place, place_anywhere
from postroom.service.todos import board_of, copy_todos
from postroom.store.tx import Tx
from postroom.store.tx_sessions import NewSession


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkView:
    """A new session, and the place of the old conversation where it begins."""

    session_id: str
    place: str
    nodes_shared: int
    """How many nodes it shares with the old one."""


def fork(tx: Tx, branch: BranchKey, to: str | None) -> ForkView | Refusal:
    """A new root session of the person that begins where an agent stood; it runs nothing by itself.

    It has its own id and tree, the profile and the folder of the agent, the team and the policy of the old
    session, the person's rules over its tree, and a copy of the board. It has no mail, task, window, ask,
    grant, goal or child of it (O-38), and asks are decided by the person again. Refuses a place that there is
    not, and a conversation without its texts (`pruned`).
    """
    named = place_anywhere(tx, branch, to)
    if isinstance(named, Refusal):
        return named
    row = tx.branch_row(branch)
    if tx.pruned_seq(row.session):
        return Refusal(code=Code.PRUNED)
    place = answered(tx, branch, named)
    old = tx.session_row(row.session)
    rights, cwd = tx.tree_rights(old.root), tx.cwd_of_branch(branch)
    session, made, session_id = tx.insert_session(NewSession(
        root=None, parent=None, parent_turn=None, parent_branch=None, made_by_call=None, origin="person",
        handle=None, title=fork_title(old.title), cwd=cwd, team=old.team, policy=old.policy, depth=0,
        profile=row.profile, attended=bool(rights.attended),
    ))  # fmt: skip
    tx.begin_fork(session, made, place.path.branch, place.node, chars_at(tx, place))
    if rights.overlay != NO_RULES:
        tx.set_overlay(session, rights.overlay)
    copy_todos(tx, board_of(tx, row.session), session, (branch, made))
    return ForkView(session_id=session_id, place=place.address, nodes_shared=place.kept)


def answered(tx: Tx, branch: BranchKey, place: Place) -> Place:
    """Mail that no answer has read yet is read by its recipient only: a fork begins before it."""
    unread = {mail.delivery.node for mail in tx.accepted(branch, HARD_WAITING_MAX)}
    if (turn := tx.branch_row(branch).turn) is not None:
        unread |= {delivery.node for delivery in tx.claimed(turn)}
    steps, kept = place.path.steps, place.kept
    for end in range(place.kept, 0, -1):
        step = steps[end - 1]
        if step.role == Role.USER and step.node in unread:
            kept = end - 1
        elif step.role != Role.SUMMARY:  # one that was made while the mail waited stands behind it
            break
    return Place(path=place.path, kept=snap(steps, kept))
