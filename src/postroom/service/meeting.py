"""Two agents meet: whether one may reach the other, by the facts of the store (`rules.reach`).

Sending, listing, reading, archiving and inspecting all ask here. What most sends are, mail inside one tree
and mail between those who are open to all, is decided without another read.
"""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, PolicyKey, SessionKey
from postroom.domain.policy import Policy
from postroom.rules import naming
from postroom.rules.permissions import Effect
from postroom.rules.reach import Meeting, Reach, Side, places_agree, reach
from postroom.store.rows import PeerRow, RecipientRow, SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_addresses import Party
from postroom.store.tx_neighbours import Neighbour


class Vantage(NamedTuple):
    """From where an agent reaches out, or where it is reached."""

    branch: BranchKey
    session: SessionKey
    root: SessionKey
    policy: PolicyKey


def vantage_of(row: SenderRow | RecipientRow) -> Vantage:
    """Where the executing agent, or a recipient, stands."""
    return Vantage(row.branch, row.session, row.root, row.policy)


def vantage_at(tx: Tx, branch: BranchKey) -> Vantage:
    """Where an agent that is known to exist stands."""
    return vantage_of(tx.recipient_by_branch(None, branch))


def vantage_in(tx: Tx, session: SessionKey) -> Vantage:
    """Where the agent stands that answers for a session."""
    row = tx.session_row(session)
    return Vantage(row.active_branch, row.key, row.root, row.policy)


def reach_of(tx: Tx, own: Vantage, other: Vantage) -> Reach:
    """Whether `own` may reach `other`, now, with leave, or not at all."""
    mine, theirs = tx.policy(own.policy), tx.policy(other.policy)
    if _is_plain(own, other, mine, theirs):
        return Reach(Effect.ALLOW)
    return reach(meeting(tx, own.branch, other.branch), mine, theirs)


def can_reach(tx: Tx, own: Vantage, other: Vantage) -> bool:
    """Whether `own` knows of `other` at all: it may reach it, or ask for leave to."""
    return reach_of(tx, own, other).effect is not Effect.DENY


def meeting(tx: Tx, reaching: BranchKey, reached: BranchKey) -> Meeting:
    """What both policies look at."""
    one, two = tx.party(reaching), tx.party(reached)
    return Meeting(
        is_same_root=one.root == two.root, is_own_child=two.parent_branch == one.branch,
        is_subagent=bool(two.is_subagent), reaching=_side(tx, one), reached=_side(tx, two),
    )  # fmt: skip


def _side(tx: Tx, party: Party) -> Side:
    return Side(party.session_id, tx.place_now(party.place, party.cwd))


def _is_plain(own: Vantage, other: Vantage, mine: Policy, theirs: Policy) -> bool:
    if own.root == other.root:
        return mine.authorisation != "directory"
    return mine.authorisation == "open" and theirs.reachable_from == "anywhere"


def relation_of(
    tx: Tx, own: Vantage, parent: BranchKey | None, to: RecipientRow | PeerRow | Neighbour
) -> str:
    """The label by which rules name a recipient, seen by an agent that `parent` made (systems.md 3.5).

    Where a policy ships rules on relations it knows more of them: who made it and whom it made, at any
    distance, the rest of the tree, and the directory.
    """
    label = naming.relation(own.branch, parent, to.branch, to.parent_branch)
    if label != "*" or not tx.policy(own.policy).relations:
        return label
    if vantage_at(tx, to.branch).root != own.root:
        return "workspace" if places_agree(meeting(tx, own.branch, to.branch)) else label
    if tx.is_above(to.branch, own.branch):
        return "ancestor"
    return "descendant" if tx.is_above(own.branch, to.branch) else "tree"
