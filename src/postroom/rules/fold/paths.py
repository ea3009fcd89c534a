"""Folding the events of spawns, forks and reverts."""

from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable, branch_of, delivery_of, put_delivery


def forked(state: Folded, facts: Facts) -> None:
    """`session.forked`: its agent begins where another one stood, and has nothing else of it."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(
        head=facts.maybe("head"), context_chars=facts.key("chars"), mailbox_seq=facts.maybe("seq") or 0
    )


def branch_made(state: Folded, facts: Facts) -> None:
    """`branch.made`: a call made an agent beside its own, with a label for a name."""
    state.branches[facts.key("branch")] = rows.Branch(
        session=facts.key("session"), parent=facts.maybe("parent_branch"), head=facts.maybe("head"),
        context_chars=facts.key("chars"), name_source="label",
    )  # fmt: skip


def compacted(state: Folded, facts: Facts) -> None:
    """`context.compacted`: a summary is the head, and the context as long as it leaves it."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(
        head=facts.key("node"), context_chars=facts.key("chars")
    )


def reverted(state: Folded, facts: Facts) -> None:
    """`branch.reverted`: the head moves back, a sealed branch keeps the old one, mail stays read."""
    key = facts.key("branch")
    row = branch_of(state, key)
    if row.turn is not None:
        raise NotFoldable(f"branch {key} has turn {row.turn}")
    state.branches[facts.key("sealed")] = rows.Branch(
        session=row.session, parent=None, head=row.head, context_chars=row.context_chars, sealed_from=key
    )
    state.branches[key] = row._replace(head=facts.maybe("head"), context_chars=facts.key("chars"))
    for delivery in facts.keys("read"):
        put_delivery(state, delivery, delivery_of(state, delivery)._replace(reverted=1))
