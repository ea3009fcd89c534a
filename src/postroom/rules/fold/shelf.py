"""Folding the events of agents that were named, merged and archived, and of sessions that were
deleted or pruned.
"""

from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable, branch_of


def named(state: Folded, facts: Facts) -> None:
    """`branch.named`: by whom, and whether that may change. The name is not in the log."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(
        name_source=facts.word("source"), name_locked=facts.key("locked"), name_count=facts.key("count")
    )


def archived(state: Folded, facts: Facts) -> None:
    """`branch.archived`: once, and for ever."""
    key = facts.key("branch")
    row = branch_of(state, key)
    if row.archived:
        raise NotFoldable(f"branch {key} was archived before")
    state.branches[key] = row._replace(archived=1)


def merged(state: Folded, facts: Facts) -> None:
    """`branch.merged`: up to this node its words have come back."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(merged_head=facts.key("head"))


def deleted(state: Folded, facts: Facts) -> None:
    """`session.deleted`."""
    key = facts.key("session")
    state.sessions[key] = state.sessions.get(key, rows.Session())._replace(deleted=1)


def pruned(state: Folded, facts: Facts) -> None:
    """`session.pruned`: with the last one its texts are gone, up to the event before."""
    key = facts.key("session")
    if facts.key("done"):
        row = state.sessions.get(key, rows.Session())
        state.sessions[key] = row._replace(pruned=1, pruned_seq=state.seqs[key] - 1)
