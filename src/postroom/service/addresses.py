"""Whom an address names, and the one place where an archived agent is refused.

Each policy has a grammar. `tree`: a session id, or a handle of the own tree (systems.md 3.3). `branch`:
`SID:HEAD` on the tip of its branch, else a name, exact before prefix, the own session before others
(systems.md 1.5). Whom the recipient's policy does not let be reached reads like nobody.
"""

from collections.abc import Callable, Mapping, Sequence

from postroom.domain.keys import BranchKey, SessionKey
from postroom.domain.receipt import Candidate, Code, Refusal
from postroom.rules import naming
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.permissions import Effect, read_overlay
from postroom.service.facts import AgentFacts
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
    found = _GRAMMARS[tx.policy(sender.policy).addressing](tx, to, sender, facts)
    if isinstance(found, Refusal):
        return found
    if not is_reachable(tx, sender, found.root, found.policy):
        return Refusal(code=Code.NOT_TREE_PEER, facts={"to": to[:SHOWN_CHARS]})
    if found.archived_us is not None and not archived:
        return _archived(tx, to, found)
    return Refusal(code=Code.SELF_SEND) if found.branch == sender.branch and not archived else found


def is_reachable(tx: Tx, sender: SenderRow, root: SessionKey, policy: int) -> bool:
    """Beyond a tree both sides decide: where rules rule, the sender may act in its own tree at most."""
    may_leave = root == sender.root or tx.policy(sender.policy).authorisation == "open"
    return may_leave and is_in_sight(tx, sender.session, root, policy)


def is_in_sight(tx: Tx, viewer: SessionKey, root: SessionKey, policy: int) -> bool:
    """Whether who is in a session knows of a tree with this policy: its own, and those that all may reach."""
    return root == tx.session_row(viewer).root or tx.policy(policy).reachable_from == "anywhere"


def closed_to_all(tx: Tx, branch: BranchKey) -> Refusal | None:
    """Why an agent takes nothing more from anybody: it was archived. The person and plugins read so, too."""
    to = tx.recipient_by_branch(None, branch)
    return None if to.archived_us is None else Refusal(code=Code.ARCHIVED, facts={"to": address_of(tx, to)})


def _archived(tx: Tx, to: str, found: RecipientRow) -> Refusal:
    """On `tree` it reads like a session that is not there."""
    if tx.policy(found.policy).addressing == "tree":
        return Refusal(code=Code.UNKNOWN_SESSION, facts={"to": to[:SHOWN_CHARS]})
    return Refusal(code=Code.ARCHIVED, facts={"to": address_of(tx, found)})


def relation_of(sender: SenderRow, branch: int, parent: int | None) -> str:
    """The label of a peer, as rules name it."""
    return naming.relation(sender.branch, sender.parent_branch, branch, parent)


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
        and facts.effect(rules, "message", relation_of(sender, p.branch, p.parent_branch)) is not Effect.DENY
    ]
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": to[:SHOWN_CHARS]}, candidates=tuple(peers))


def _any_branch(tx: Tx, to: str, sender: SenderRow, facts: AgentFacts | None) -> RecipientRow | Refusal:
    del facts  # every branch may be addressed; what may be done is asked afterwards
    found = find_branch(tx, to, sender.session)
    return found if isinstance(found, Refusal) else tx.recipient_by_branch(sender.branch, found)


def find_branch(tx: Tx, to: str, session: SessionKey) -> BranchKey | Refusal:
    """The branch that an address names, seen from a session; archived and merged ones too.

    Refuses `spawn_syntax`, `empty_to`, `not_tree_peer`, `head_missing`, `unknown_node`, `shared_ancestor`,
    `ambiguous` and `unknown_reference`.
    """
    text = to.strip()
    if text == SPAWN_WORD or text.startswith(f"{SPAWN_WORD}:"):
        return Refusal(code=Code.SPAWN_SYNTAX, facts={"to": text[:SHOWN_CHARS]})
    if not text:
        return Refusal(code=Code.EMPTY_TO)
    left, _, head = text.partition(":")
    named = tx.session_by_public_id(left.strip()) if naming.is_uuid(left.strip()) else None
    if named is not None and not is_in_sight(tx, session, named.root, named.policy):
        return Refusal(code=Code.NOT_TREE_PEER, facts={"to": text[:SHOWN_CHARS]})
    if named is not None and head.strip():
        return find_head(tx, named.key, head.strip())
    return _named(tx, text, session) or Refusal(
        code=Code.HEAD_MISSING if named is not None else Code.UNKNOWN_REFERENCE,
        facts={"to": text[:SHOWN_CHARS]},
    )


def find_head(tx: Tx, session: SessionKey, head: str) -> BranchKey | Refusal:
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
    return through[0] if len(through) == 1 else _several(tx, Code.SHARED_ANCESTOR, head, through)


def _no_node(head: str) -> Refusal:
    return Refusal(code=Code.UNKNOWN_NODE, facts={"head": head[:SHOWN_CHARS]})


def _named(tx: Tx, name: str, session: SessionKey) -> BranchKey | Refusal | None:
    """Exact names before prefixes, the own session before others; `None` when nobody is called so.

    In the own session an agent also answers to what it was called when it was made: a title that a model
    gives it later must not take it away from those who know it (OP-95).
    """
    looks: tuple[Callable[[], list[BranchKey]], ...] = (
        lambda: tx.branches_named(session, name, CANDIDATES_MAX),
        lambda: tx.branches_labelled(session, name, CANDIDATES_MAX),
        lambda: _named_elsewhere(tx, name, session, is_prefix=False),
        lambda: tx.branches_named_like(session, name, CANDIDATES_MAX),
        lambda: _named_elsewhere(tx, name, session, is_prefix=True),
    )
    none: list[BranchKey] = []
    found = next((branches for look in looks if (branches := look())), none)
    if len(found) > 1:
        return _several(tx, Code.AMBIGUOUS, name, found)
    return found[0] if found else None


def _named_elsewhere(tx: Tx, name: str, session: SessionKey, *, is_prefix: bool) -> list[BranchKey]:
    """Those of other sessions that are in sight: what is not takes no name away and is no candidate."""
    found = tx.branches_named_elsewhere(session, name, CANDIDATES_MAX, is_prefix=is_prefix)
    rows = (tx.recipient_by_branch(None, branch) for branch in found)
    return [row.branch for row in rows if is_in_sight(tx, session, row.root, row.policy)]


def _several(tx: Tx, code: Code, to: str, branches: Sequence[BranchKey]) -> Refusal:
    """Every candidate with its name and the address that names it alone."""
    rows = [tx.recipient_by_branch(None, branch) for branch in branches]
    candidates = tuple(
        Candidate(
            handle=given_name(tx, row.branch) or None, description="", status=row.turn_state or "idle",
            session_id=address_of(tx, row),
        )
        for row in rows
    )  # fmt: skip
    return Refusal(code=code, facts={"to": to[:SHOWN_CHARS]}, candidates=candidates)


_GRAMMARS: Mapping[str, Callable[[Tx, str, SenderRow, AgentFacts | None], RecipientRow | Refusal]] = {
    "tree": _in_tree,
    "branch": _any_branch,
}
"""By `Policy.addressing`."""
