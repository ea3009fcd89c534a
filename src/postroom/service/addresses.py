"""Whom an address names, and the one place where an archived agent is refused.

Each policy has a grammar. `tree`: a session id, or a handle of the own tree (systems.md 3.3). `branch`:
`SID:HEAD` on the tip of its branch, else a name, exact before prefix, the own session before others
(systems.md 1.5). `session`: a session id. `team`: any of these, and exact names of the own tree. Whom the
policies do not let the sender reach reads like nobody.
"""

from collections.abc import Callable, Mapping, Sequence

from postroom.domain.keys import BranchKey, SessionKey
from postroom.domain.receipt import Candidate, Code, Refusal
from postroom.rules import naming
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.permissions import Effect, read_overlay
from postroom.service.facts import AgentFacts
from postroom.service.masking import find_masked
from postroom.service.meeting import Vantage, can_reach, relation_of, vantage_at, vantage_in, vantage_of
from postroom.service.receipts import address_of, given_name
from postroom.store.rows import RecipientRow, SenderRow
from postroom.store.tx import Tx

CANDIDATES_MAX = 200
"""How many branches an ambiguous name is answered with (systems.md 1.5)."""
SPAWN_WORD = "new"


def find_recipient(
    tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None, *, archived: bool = False
) -> RecipientRow | Refusal:
    """The agent that an address of this sender names. Refuses what names nobody, several, or the sender."""
    policy = tx.policy(sender.policy)
    if policy.refusals == "masked":
        return find_masked(tx, to, sender, facts, archived=archived)
    grammar = policy.addressing
    found = _GRAMMARS[grammar](tx, to, sender, facts)
    if isinstance(found, Refusal):
        return found
    if found.branch == sender.branch and not archived:
        return Refusal(code=Code.SELF_SEND)
    if found.branch != sender.branch and not can_reach(tx, vantage_of(sender), vantage_of(found)):
        return _ABSENT[grammar](tx, to, sender, facts)
    if found.archived_us is not None and not archived:
        return _archived(tx, to, sender, found)
    return found


def closed_to_all(tx: Tx, branch: BranchKey) -> Refusal | None:
    """Why an agent takes nothing more from anybody: it was archived. The person and plugins read so, too."""
    to = tx.recipient_by_branch(None, branch)
    return None if to.archived_us is None else Refusal(code=Code.ARCHIVED, facts={"to": address_of(tx, to)})


def _archived(tx: Tx, to: str, sender: SenderRow, found: RecipientRow) -> Refusal:
    """Where archives are not told of, it reads like a session that is not there."""
    if tx.policy(sender.policy).tells_archived:
        return Refusal(code=Code.ARCHIVED, facts={"to": address_of(tx, found, sender.policy)})
    return Refusal(code=Code.UNKNOWN_SESSION, facts={"to": to[:SHOWN_CHARS]})


def _in_tree(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> RecipientRow | Refusal:
    """An id first, else an exact handle of the sender's tree; never a part of one."""
    if naming.is_uuid(to):
        found = tx.recipient_by_public_id(sender.branch, to.lower())
        return found or Refusal(code=Code.UNKNOWN_SESSION, facts={"to": to})
    return tx.recipient_by_handle(sender.branch, sender.root, to) or _unknown(tx, to, sender, facts)


def _unknown(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> Refusal:
    """The candidates are the peers that this sender may write to, and nobody else."""
    rules = read_overlay(sender.overlay)
    peers = [
        Candidate(handle=p.handle, description=p.title, status=p.status or "idle", session_id=p.public_id)
        for p in tx.peers_of_tree(sender.root, sender.branch)
        if facts is not None
        and facts.effect(rules, "message", relation_of(tx, vantage_of(sender), sender.parent_branch, p))
        is not Effect.DENY
    ]
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": to[:SHOWN_CHARS]}, candidates=tuple(peers))


def _other_tree(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> Refusal:
    del tx, sender, facts
    return Refusal(code=Code.NOT_TREE_PEER, facts={"to": to[:SHOWN_CHARS]})


def _of_team(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> RecipientRow | Refusal:
    """A handle of the own tree, an id, `SID:HEAD`, or the exact name of one agent of the own tree."""
    if not to.strip():
        return Refusal(code=Code.EMPTY_TO)
    if naming.is_uuid(to):
        found = tx.recipient_by_public_id(sender.branch, to.lower())
        return found or _unknown(tx, to, sender, facts)
    left, colon, head = to.partition(":")
    if colon and naming.is_uuid(left):
        return _at_head(tx, left, head, sender) or _unknown(tx, to, sender, facts)
    named = find_in_tree(tx, to, vantage_of(sender))
    if isinstance(named, Refusal):
        return named
    return _unknown(tx, to, sender, facts) if named is None else tx.recipient_by_branch(sender.branch, named)


def find_in_tree(tx: Tx, text: str, viewer: Vantage) -> BranchKey | Refusal | None:
    """The agent of the own tree that has a handle, or is the only one of an exact name."""
    by_handle = tx.recipient_by_handle(viewer.branch, viewer.root, text)
    if by_handle is not None:
        return by_handle.branch
    named = tx.sessions_named(viewer.root, text, CANDIDATES_MAX)
    if len(named) > 1:
        return _several(tx, Code.AMBIGUOUS, text, named, viewer)
    return named[0] if named else None


def _at_head(tx: Tx, left: str, head: str, sender: SenderRow) -> RecipientRow | Refusal | None:
    """What a session the sender may reach has there; nothing of any other one is told."""
    session = tx.session_by_public_id(left)
    own = vantage_of(sender)
    if session is None or not (
        session.key == sender.session or can_reach(tx, own, vantage_in(tx, session.key))
    ):
        return None
    if not head:
        return Refusal(code=Code.HEAD_MISSING, facts={"to": left})
    found = find_head(tx, session.key, head, own)
    return found if isinstance(found, Refusal) else tx.recipient_by_branch(sender.branch, found)


def _any_branch(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> RecipientRow | Refusal:
    del facts  # every branch may be addressed; what may be done is asked afterwards
    found = find_branch(tx, to, vantage_of(sender))
    return found if isinstance(found, Refusal) else tx.recipient_by_branch(sender.branch, found)


def _unknown_branch(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> Refusal:
    del tx, sender, facts
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": to[:SHOWN_CHARS]})


def find_branch(tx: Tx, to: str, viewer: Vantage) -> BranchKey | Refusal:
    """The branch that an address names, seen by an agent; archived and merged ones too.

    Refuses `spawn_syntax`, `empty_to`, `head_missing`, `unknown_node`, `shared_ancestor`, `ambiguous` and
    `unknown_reference`, which is also what a session out of reach reads like.
    """
    text = to.strip()
    if text == SPAWN_WORD or text.startswith(f"{SPAWN_WORD}:"):
        return Refusal(code=Code.SPAWN_SYNTAX, facts={"to": text[:SHOWN_CHARS]})
    if not text:
        return Refusal(code=Code.EMPTY_TO)
    left, _, head = text.partition(":")
    named = tx.session_by_public_id(left.strip()) if naming.is_uuid(left.strip()) else None
    if named is not None and not _is_known(tx, viewer, named.key):
        return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": text[:SHOWN_CHARS]})
    if named is not None and head.strip():
        return find_head(tx, named.key, head.strip(), viewer)
    return _named(tx, text, viewer) or Refusal(
        code=Code.HEAD_MISSING if named is not None else Code.UNKNOWN_REFERENCE,
        facts={"to": text[:SHOWN_CHARS]},
    )


def _is_known(tx: Tx, viewer: Vantage, session: SessionKey) -> bool:
    return session == viewer.session or can_reach(tx, viewer, vantage_in(tx, session))


def find_head(tx: Tx, session: SessionKey, head: str, viewer: Vantage) -> BranchKey | Refusal:
    """The branch of a session that an id or a node names: the node names its branch, not a fork point."""
    if naming.is_uuid(head):
        found = tx.branch_of_public_id(session, head)
        return found or _no_node(head)
    if (node := naming.node_number(head)) is None:
        return _no_node(head)
    tips = tx.tips_of_session(session)
    at_head = [tip.branch for tip in tips if tip.head == node and not tip.is_merged]
    merged = [tip.branch for tip in tips if tip.merged_head == node]
    if len(at_head) == 1 or (merged and not at_head):
        return (at_head or merged)[0]
    retired = {tip.branch for tip in tips if tip.is_merged}
    through = at_head or [b for b in tx.branches_through(session, node) if b not in retired]
    if not through:
        return _no_node(head)
    return through[0] if len(through) == 1 else _several(tx, Code.SHARED_ANCESTOR, head, through, viewer)


def _no_node(head: str) -> Refusal:
    return Refusal(code=Code.UNKNOWN_NODE, facts={"head": head[:SHOWN_CHARS]})


def _named(tx: Tx, name: str, viewer: Vantage) -> BranchKey | Refusal | None:
    """Exact names before prefixes, the own session before others; `None` when nobody is called so.

    In the own session an agent also answers to what it was called when it was made: a title that a model
    gives it later must not take it away from those who know it (OP-95).
    """
    session = viewer.session
    looks: tuple[Callable[[], list[BranchKey]], ...] = (
        lambda: tx.branches_named(session, name, CANDIDATES_MAX),
        lambda: tx.branches_labelled(session, name, CANDIDATES_MAX),
        lambda: _named_elsewhere(tx, name, viewer, is_prefix=False),
        lambda: tx.branches_named_like(session, name, CANDIDATES_MAX),
        lambda: _named_elsewhere(tx, name, viewer, is_prefix=True),
    )
    none: list[BranchKey] = []
    found = next((branches for look in looks if (branches := look())), none)
    if len(found) > 1:
        return _several(tx, Code.AMBIGUOUS, name, found, viewer)
    return found[0] if found else None


def _named_elsewhere(tx: Tx, name: str, viewer: Vantage, *, is_prefix: bool) -> list[BranchKey]:
    """Those of other sessions that are in sight: what is not takes no name away and is no candidate."""
    found = tx.branches_named_elsewhere(viewer.session, name, CANDIDATES_MAX, is_prefix=is_prefix)
    return [branch for branch in found if can_reach(tx, viewer, vantage_at(tx, branch))]


def _several(tx: Tx, code: Code, to: str, branches: Sequence[BranchKey], viewer: Vantage) -> Refusal:
    """Every candidate with its name and the address that names it alone."""
    rows = [tx.recipient_by_branch(None, branch) for branch in branches]
    candidates = tuple(
        Candidate(
            handle=given_name(tx, row.branch) or None, description="", status=row.turn_state or "idle",
            session_id=address_of(tx, row, viewer.policy),
        )
        for row in rows
    )  # fmt: skip
    return Refusal(code=code, facts={"to": to[:SHOWN_CHARS]}, candidates=candidates)


_GRAMMARS: Mapping[str, Callable[[Tx, str, SenderRow, AgentFacts | None], RecipientRow | Refusal]] = {
    "tree": _in_tree,
    "branch": _any_branch,
    "team": _of_team,
}
"""By `Policy.addressing`: whom an address names. On a bus it names a selector (`service.bus`), and ids of
sessions have refusals that say nothing (`service.masking`).
"""
_ABSENT: Mapping[str, Callable[[Tx, str, SenderRow, AgentFacts | None], Refusal]] = {
    "tree": _other_tree,
    "branch": _unknown_branch,
    "team": _unknown,
}
"""By `Policy.addressing`: what an agent reads like that may not be reached."""
