"""Folding the events of asks, of grants, and of what the person allows a tree."""

from postroom.domain.ask import AskKind, AskState
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable, known


def opened(state: Folded, facts: Facts) -> None:
    """`ask.opened`: the person is asked."""
    key = facts.key("ask")
    if key in state.asks:
        raise NotFoldable(f"ask {key} was opened before")
    state.asks[key] = rows.Ask(
        kind=AskKind(facts.word("kind")).value, root=facts.key("root"), branch=facts.key("branch"),
        turn=facts.key("turn"), call=facts.key("call"), action=facts.word("action"),
        resource=facts.word("resource"), recipient=facts.maybe("recipient"), tool=facts.word("tool"),
        due_us=facts.maybe("due_us"), message=facts.maybe("message"),
    )  # fmt: skip


def ended(state: Folded, facts: Facts) -> None:
    """`ask.ended`: decided, expired or withdrawn, once."""
    key, after = facts.key("ask"), AskState(facts.word("state"))
    row = state.asks.get(key)
    if row is None or row.state != AskState.OPEN:
        raise NotFoldable(f"ask {key} is not open")
    state.asks[key] = row._replace(state=after.value, decided_by=facts.word("by"), scope=facts.word("scope"))


def granted(state: Folded, facts: Facts) -> None:
    """`grant.given`: allowed for a whole tree."""
    state.grants[facts.key("grant")] = rows.Grant(
        root=facts.key("root"), action=facts.word("action"), resource=facts.word("resource"),
        recipient=facts.maybe("recipient"), tool=facts.word("tool"), ask=facts.key("ask"),
    )  # fmt: skip


def revoked(state: Folded, facts: Facts) -> None:
    """`grant.revoked`: it holds no longer."""
    key = facts.key("grant")
    row = state.grants.get(key)
    if row is None or row.revoked:
        raise NotFoldable(f"grant {key} does not hold")
    state.grants[key] = row._replace(revoked=1)


def made(state: Folded, facts: Facts) -> None:
    """`session.created`: how asks are decided; a log older than migration 3 says nothing of it."""
    attended = facts.maybe("attended")
    state.sessions[facts.key("session")] = rows.Session(
        mode=facts.word_or("mode", "ask"), attended=1 if attended is None else attended
    )


def mode_changed(state: Folded, facts: Facts) -> None:
    """`mode.changed`: others decide from now on."""
    key = facts.key("session")
    state.sessions[key] = _session_of(state, key)._replace(mode=facts.word("mode"))


def attended_changed(state: Folded, facts: Facts) -> None:
    """`attended.changed`: somebody is there from now on, or nobody."""
    key = facts.key("session")
    state.sessions[key] = _session_of(state, key)._replace(attended=facts.key("attended"))


def overlay_changed(state: Folded, facts: Facts) -> None:
    """`overlay.changed`: the person's rules are others."""
    key = facts.key("session")
    state.sessions[key] = _session_of(state, key)._replace(overlay=facts.json("overlay"))


def _session_of(state: Folded, key: int) -> rows.Session:
    return known(state.sessions, key, f"session {key} was never made")
