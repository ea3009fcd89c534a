"""Who an agent's own direct children are: the tools of delegation know no others (CK-40)."""

from postroom.domain.keys import BranchKey
from postroom.rules import naming
from postroom.store.rows import RecipientRow
from postroom.store.tx import Tx


def find_child(tx: Tx, parent: BranchKey, reference: str) -> RecipientRow | None:
    """An own direct child by its exact handle or its session id; nobody else's, whoever asks."""
    if naming.is_uuid(reference):
        found = tx.recipient_by_public_id(None, reference.lower())
    else:
        root = tx.session_row(tx.branch_row(parent).session).root
        found = tx.recipient_by_handle(None, root, reference)
    return found if found is not None and found.parent_branch == parent else None
