"""The agent whose transcript it is: how it stands, what it does now, what it has cost."""

from postroom.domain.session import Branch, Session
from postroom.domain.turn import OPEN_STATES, TurnState
from postroom.observe.transcript_mail import speaker_of
from postroom.observe.transcript_parts import ChainView
from postroom.observe.transcript_rows import Doing, Heading
from postroom.observe.transcript_turns import chain_view
from postroom.rules.standing import agent_state
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx

PERSON = "user"
"""Whom a call waits for that has asked the person."""


def heading(tx: Tx, branch: Branch, session: Session) -> Heading:
    """The head of a transcript."""
    turn = tx.turn_row(branch.turn) if branch.turn is not None else None
    last = turn or tx.last_turn_of_branch(branch.key)
    own = tx.labels_of_branches([branch.key])[branch.key]
    maker = tx.labels_of_branches([own.sealed_from or branch.parent_branch or 0])
    rights = tx.tree_rights(session.root)
    tokens, cost_micros = tx.spend_of_branch(branch.key)
    is_active = session.active_branch == branch.key
    return Heading(
        name=own.label, address=own.address, branch_id=own.branch_id, session_id=own.session_id,
        root_session_id=tx.session_row(session.root).public_id, profile=own.profile,
        title=session.title if is_active else "", state=_state(branch, turn),
        doing=_doing(tx, branch, turn),
        turn_id=turn.public_id if turn else "", rounds=turn.rounds if turn else 0, unread=branch.n_waiting,
        parked=branch.n_parked, mode=str(rights.mode), attended=bool(rights.attended), tokens=tokens,
        cost_micros=cost_micros, chain=_chain(tx, last), archived=branch.archived_us is not None,
        pruned=tx.pruned_seq(session.key) > 0, sealed=own.sealed_from is not None,
        made_by=next(map(speaker_of, maker.values()), None),
    )  # fmt: skip


def _state(branch: Branch, turn: TurnRow | None) -> str:
    return agent_state(
        turn.state if turn else None, branch.last_turn_state, is_archived=branch.archived_us is not None,
        is_paused=branch.paused_by is not None,
    )  # fmt: skip


def _chain(tx: Tx, turn: TurnRow | None) -> ChainView | None:
    return None if turn is None else chain_view(tx, turn.chain)


def _doing(tx: Tx, branch: Branch, turn: TurnRow | None) -> Doing:
    """A turn asks its model unless calls of it are open; those may wait for somebody."""
    if turn is None or turn.state not in OPEN_STATES or turn.state == TurnState.WAITING:
        return Doing(what="", tools=(), waits_for=())
    tools = tuple(str(row[4]) for row in tx.open_calls(turn.turn))
    waits = _waits_for(tx, branch)
    what = "waits" if waits else "calls" if tools else "model"
    return Doing(what=what, tools=tools, waits_for=waits)


def _waits_for(tx: Tx, branch: Branch) -> tuple[str, ...]:
    """Whom the calls of an agent wait for, each once."""
    names = (PERSON if one.ask_kind else one.label for one in tx.awaited_by(branch.key))
    return tuple(name for name in dict.fromkeys(names) if name)
