"""What the person is asked and has allowed, as they see it."""

import json
from dataclasses import asdict, dataclass
from typing import cast

from postroom.domain.ask import Ask
from postroom.domain.message import State
from postroom.domain.plain import Json
from postroom.observe.find import find_session
from postroom.rules.permissions import read_overlay
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class AskView:
    """One open ask. Times are wall time in microseconds; without `due_us` it waits until it is answered."""

    ask_id: str
    kind: str
    session_id: str
    agent: str
    profile: str
    tool: str
    action: str
    resource: str
    to: str
    """The recipient's handle, name or session id; empty when there is none."""
    text: str
    options: list[str]
    requested_us: int
    due_us: int | None
    message_id: str
    """The held message that goes with leave; empty when a call waits for it instead."""
    branch_id: str
    """Of the agent that asks."""
    root_session_id: str
    """The conversation of the person that it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingAsk:
    """How an ask stands now that somebody has decided it."""

    ask_id: str
    kind: str
    state: str
    scope: str
    """For how long leave holds; empty where none was given."""
    agent: str
    session_id: str
    root_session_id: str
    message_id: str
    """The message that was held for it; empty where a call waited."""
    message_state: str
    reason: str
    """Why that message is discarded; empty while it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """One of the person's rules over a tree."""

    action: str
    pattern: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantView:
    """What the person has allowed for a tree."""

    action: str
    resource: str
    to: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RightsView:
    """What a tree may do beyond its profiles: who decides its asks, the person's rules, the grants."""

    session_id: str
    mode: str
    attended: bool
    overlay: list[RuleView]
    """In order of declaration."""
    grants: list[GrantView]


def asks(tx: Tx, root: int | None) -> list[AskView]:
    """The open asks of one tree, or of all, oldest first."""
    found = tx.open_asks() if root is None else tx.open_asks_of_root(root)
    return [_ask(tx, ask) for ask in found]


def last_questions(tx: Tx, root: int | None) -> list[AskView]:
    """The open questions of one tree, or of all, where nothing else keeps it from ending; oldest first.

    Whatever works, stands in line or has a due time keeps a tree from being listed. A tool that works beside
    a question is not in the store: whoever runs it knows.
    """
    listed = tx.open_asks() if root is None else tx.open_asks_of_root(root)
    found = [ask for ask in listed if ask.message is None]  # a held message keeps nothing from ending
    trees = {ask.root for ask in found}
    if any(tx.moves_of_tree(one) for one in trees):
        return []
    return [_ask(tx, ask) for ask in found]


def ask_rows(tx: Tx, session: str | None, kind: str | None = None) -> list[Json]:
    """The same as JSON, of the tree of a session or of all, of one kind or of both. Raises `NotFound`."""
    root = None if session is None else find_session(tx, session).root
    return [cast("Json", asdict(ask)) for ask in asks(tx, root) if kind in (None, ask.kind)]


def standing(tx: Tx, key: int) -> StandingAsk:
    """How an ask stands, and the message that was held for it; an ask is never deleted."""
    ask = tx.ask_row(key)
    assert ask is not None  # noqa: S101 -- see above
    label = tx.branch_label(ask.branch)
    message = None if ask.message is None else tx.message_view(ask.message, ask.recipient)
    is_gone = message is not None and message.state == State.DISCARDED
    agent, session_id = (label.label, label.session_id) if label else ("", "")
    return StandingAsk(
        ask_id=ask.public_id, kind=ask.kind, state=ask.state, scope=ask.scope, agent=agent,
        session_id=session_id, root_session_id=tx.session_row(ask.root).public_id,
        message_id=message.public_id if message else "",
        message_state=(message.state or "") if message else "",
        reason=(message.reason or "") if message and is_gone else "",
    )  # fmt: skip


def rights(tx: Tx, session: str) -> RightsView:
    """The rights of a session's tree. Raises `NotFound`."""
    root = tx.session_row(find_session(tx, session).root)
    kept = tx.tree_rights(root.key)
    return RightsView(
        session_id=root.public_id, mode=kept.mode, attended=bool(kept.attended),
        overlay=[
            RuleView(action=r.action, pattern=r.pattern, effect=str(r.effect))
            for r in read_overlay(kept.overlay)
        ],
        grants=[
            GrantView(action=g.action, resource=g.resource, to=_name(tx, g.recipient), tool=g.tool)
            for g in tx.live_grants(root.key)
        ],
    )  # fmt: skip


def _ask(tx: Tx, ask: Ask) -> AskView:
    session, profile = tx.session_row(ask.session), tx.branch_row(ask.branch).profile
    options: list[str] = json.loads(ask.options)
    return AskView(
        ask_id=ask.public_id, kind=ask.kind, session_id=session.public_id, agent=_name(tx, ask.branch),
        profile=profile, tool=ask.tool, action=ask.action, resource=ask.resource,
        to=_name(tx, ask.recipient), text=ask.text, options=options,
        requested_us=ask.requested_us, due_us=ask.due_us,
        message_id="" if ask.message is None else tx.message_id(ask.message),
        branch_id=tx.branch_public_id(ask.branch), root_session_id=tx.session_row(ask.root).public_id,
    )  # fmt: skip


def _name(tx: Tx, branch: int | None) -> str:
    """How an agent is called: its handle, or the id of its session; another of the session by its name."""
    if branch is None:
        return ""
    found = tx.recipient_by_branch(None, branch)
    if tx.session_row(found.session).active_branch == branch:
        return found.handle or found.public_id
    label = tx.branch_label(branch)
    return label.label if label else found.public_id
