"""Mail becomes context here and nowhere else: claim and node in one transaction (G2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroom.domain.keys import BranchKey, NodeKey, SessionKey, TurnKey
from postroom.domain.message import Delivery, Kind
from postroom.domain.node import MailFacts, Node, Part, Provenance, Role, facts_of, joined, joins_last, stored
from postroom.domain.policy import Policy
from postroom.rules.envelope import render, render_node
from postroom.rules.naming import printed
from postroom.service.facts import AgentFacts
from postroom.service.meeting import can_reach, vantage_at
from postroom.service.receipts import given_name
from postroom.service.wholes import quarter_of
from postroom.store.rows import Mail
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Where mail enters: a turn, its round, what it goes behind, and the room left in the window."""

    turn: TurnKey
    branch: BranchKey
    session: SessionKey
    head: NodeKey | None
    round: int
    context_chars: int
    policy: Policy
    facts: AgentFacts
    waiting: int = 0
    """How many messages lie in the mailbox, those among them that are taken here."""
    answers: int = 0
    """How many answers the reader has given, by which it is known how old mail is."""

    @property
    def room_chars(self) -> int:
        """Characters that still fit into the next request."""
        return self.facts.room_chars - self.context_chars


BARE = frozenset({"user", "prompt"})
"""Kinds that stand without an envelope: the person's text, and the first one of an agent."""
BATCH_CHARS = 64
"""Room for the line in front of several messages."""
_PRINTED_WHEN_SENT = frozenset({"tree", "roster"})
"""Grammars in which a sender is called as it was when it wrote."""
_NAMED_BESIDE = frozenset({"session"})
"""Grammars whose addresses say nothing to people, so that an envelope names its sender besides."""
_REACHED_OTHERWISE = frozenset({"tree", "team"})
"""Grammars in which no text has an id: it is shown whole, or goes by its number."""
_LONGEST_TWIN = 2
"""Characters that one of a text may become when it is rendered."""
_OWN_PROVENANCE = {
    Kind.USER: Provenance.USER,
    Kind.PLUGIN: Provenance.PLUGIN,
    Kind.GOAL: Provenance.PLUGIN,
}


def take(tx: Tx, boundary: Boundary, chosen: Sequence[Mail], opener: Mail | None = None) -> tuple[Node, ...]:
    """Claim in order as much as fits and append its nodes; what does not fit stays accepted.

    What opens the turn is always among it: what stands in front of it leaves it room, or waits. A released
    delivery whose node is already on the branch is claimed again, not appended again; it needs no room.
    """
    nodes: list[Node] = []
    used = 0
    for shared in _shared(boundary, _as_one_item(boundary, _fitting(tx, boundary, chosen, opener)), opener):
        first, _ = shared[0]
        if first.delivery.node is None:
            nodes.append(_append(tx, boundary, shared, nodes[-1].key if nodes else boundary.head))
            used += len(render_node(nodes[-1].parts, nodes[-1].body)) + joins_last(nodes[-1].parts)
        for item, _ in shared:
            tx.claim(boundary.session, item.delivery, boundary.turn, first.delivery.node or nodes[-1].key)
    if nodes:
        tx.move_head(boundary.session, boundary.branch, nodes[-1].key, boundary.turn, used)
    return tuple(nodes)


def _shared(
    boundary: Boundary, fitting: Sequence[tuple[Mail, MailFacts]], opener: Mail | None
) -> list[list[tuple[Mail, MailFacts]]]:
    """What stands in one node together. What opens the turn is a node of its own: a turn begins there."""
    if boundary.policy.drain_form == "each":
        return [[one] for one in fitting]
    alone = [[one] for one in fitting if one[0] is opener or one[0].delivery.node is not None]
    together = [one for one in fitting if one[0] is not opener and one[0].delivery.node is None]
    return [*alone, together] if together else alone


def _fitting(
    tx: Tx, boundary: Boundary, chosen: Sequence[Mail], opener: Mail | None
) -> list[tuple[Mail, MailFacts]]:
    """What has room, in order, and how it is rendered; everything that stands there already."""
    room, used, full = boundary.room_chars - BATCH_CHARS * boundary.policy.dates_mail, 0, False
    owed = added_chars(tx, boundary, opener) if opener is not None else 0
    fitting: list[tuple[Mail, MailFacts]] = []
    for item in chosen:
        facts = _facts(tx, item, boundary)
        chars = _chars(item, facts)
        owed = 0 if item is opener else owed
        full = full or used + chars + owed > room
        if full and item.delivery.node is None and item is not opener:
            continue
        used += chars + boundary.policy.dates_mail
        fitting.append((item, facts))
    return fitting


def _as_one_item(boundary: Boundary, fitting: list[tuple[Mail, MailFacts]]) -> list[tuple[Mail, MailFacts]]:
    """Where mail is dated, all of a boundary is one item, and in front of it stands how much there was.

    The person's text stands by itself, and so does what is in the conversation already.
    """
    if not boundary.policy.dates_mail:
        return fitting
    own = [item for item, facts in fitting if item.delivery.node is None and facts.kind in BARE]
    there = [item for item, _ in fitting if item.delivery.node is not None]
    entering = len(fitting) - len(own) - len(there)
    waiting = boundary.waiting - len(own) - len(there)
    line, joins = f"{entering} of {waiting}" if waiting > 1 else "", False
    marked: list[tuple[Mail, MailFacts]] = []
    for item, facts in fitting:
        is_one = item.delivery.node is None and facts.kind not in BARE
        marked.append((item, replace(facts, batch=line, joins=joins) if is_one else facts))
        line, joins = ("", True) if is_one else (line, False)
    return marked


def added_chars(tx: Tx, boundary: Boundary, item: Mail) -> int:
    """What it adds to a request; nothing if it stands there already."""
    return _chars(item, _facts(tx, item, boundary))


def _chars(item: Mail, facts: MailFacts) -> int:
    return 0 if item.delivery.node else len(render(item.body, facts))


def pick(mails: Sequence[Mail], chosen: Sequence[Delivery]) -> tuple[Mail, ...]:
    """The mails of the chosen deliveries, in the order of the choice."""
    by_key = {m.delivery.key: m for m in mails}
    return tuple(by_key[d.key] for d in chosen)


def _append(tx: Tx, boundary: Boundary, shared: Sequence[tuple[Mail, MailFacts]], head: int | None) -> Node:
    """One node for one message, or for several that enter as parts of it."""
    provenance = _together({_provenance(item.delivery, facts) for item, facts in shared})
    item, facts = shared[0]
    message, parts, body = item.delivery.message, stored(facts), item.body
    if len(shared) > 1:
        parts, body = joined([Part(mail.delivery.message, facts, mail.body) for mail, facts in shared])
    named = message if len(shared) == 1 else None
    key = tx.append_node(
        boundary.session, head, Role.USER, provenance, parts, boundary.turn, boundary.round, named,
        root_of=boundary.branch,
    )  # fmt: skip
    return Node(key, Role.USER, provenance, parts, named, body, boundary.turn, boundary.round)


def _together(found: set[Provenance]) -> Provenance:
    """Whose text a node is that holds these: with the person's among others' it is nobody's alone (KK-21)."""
    if len(found) == 1:
        return next(iter(found))
    if Provenance.USER in found:
        return Provenance.MIXED
    return Provenance.AGENT if Provenance.AGENT in found else Provenance.PLUGIN


def _provenance(delivery: Delivery, facts: MailFacts) -> Provenance:
    """A notice is the runtime's text, unless it carries another's: the late end of a task or of work."""
    if delivery.kind is Kind.NOTICE and facts.kind == Kind.PLUGIN:
        return Provenance.PLUGIN
    if delivery.kind in _OWN_PROVENANCE:
        return _OWN_PROVENANCE[delivery.kind]
    return Provenance.SYSTEM if delivery.sender is None else Provenance.AGENT


def _facts(tx: Tx, item: Mail, boundary: Boundary) -> MailFacts:
    """How it will be rendered, for ever: fixed when it is claimed, so a request never changes."""
    told = facts_of(item.facts) if item.facts else MailFacts(kind=item.delivery.kind)
    style, limit_chars = boundary.policy.addressing, _limit_chars(told.kind, boundary)
    sender = _sender(tx, item, style)
    facts = replace(
        told,
        sender=sender,
        name=_name(tx, item, style) or told.name,
        style=style,
        owes=item.delivery.owes,
        letter=_letter(tx, item, style, limit_chars),
        hint=bool(sender) and _may_answer(tx, item, boundary),
        limit_chars=limit_chars,
    )
    is_dated = boundary.policy.dates_mail and told.kind not in BARE
    return _dated(tx, item, facts, boundary) if is_dated else facts


def _dated(tx: Tx, item: Mail, facts: MailFacts, boundary: Boundary) -> MailFacts:
    """When it was written, how long ago that is by the clock and by the reader's answers, what it answers."""
    d = item.delivery
    answers = 0
    if item.answers is not None and d.sender is not None and d.kind in (Kind.MAIL, Kind.REPLY):
        answers = tx.number_of(item.answers, d.sender)
    return replace(
        facts, n=d.seq, at_us=item.written_us, age_s=max(tx.now_us - item.written_us, 0) // 1_000_000,
        rounds=boundary.answers - item.rounds_at, answers=answers,
    )  # fmt: skip


def _may_answer(tx: Tx, item: Mail, boundary: Boundary) -> bool:
    """Whether its reader has the tool to answer, and is let through to whoever wrote.

    Where everybody who writes may be written to, nobody asks: only the rules of a workspace look one way.
    """
    is_mail = boundary.facts.exposes_mail and item.delivery.kind is Kind.MAIL
    if not is_mail or item.delivery.sender is None or boundary.policy.authorisation != "directory":
        return is_mail
    return can_reach(tx, vantage_at(tx, boundary.branch), vantage_at(tx, item.delivery.sender))


def _sender(tx: Tx, item: Mail, style: str) -> str:
    """Who wrote it, in the grammar of its reader."""
    if style in _PRINTED_WHEN_SENT or item.delivery.sender is None:
        return item.sender_address
    row = tx.recipient_by_branch(None, item.delivery.sender)
    return printed(style, row.public_id, row.handle, row.branch_id, is_active=bool(row.is_active))


def _name(tx: Tx, item: Mail, style: str) -> str:
    """How people call who wrote it, where the reader's envelope names it: its name, its title, its kind."""
    if style not in _NAMED_BESIDE or item.delivery.kind is not Kind.MAIL or item.delivery.sender is None:
        return ""
    row = tx.recipient_by_branch(None, item.delivery.sender)
    return given_name(tx, row.branch) or tx.session_row(row.session).title or row.profile


def _letter(tx: Tx, item: Mail, style: str, limit_chars: int) -> str:
    """By which id its reader gets the whole of a text that may be cut; a task's result by that of the task.

    Left out of all the others, so that the facts of short mail are alike and decoded once.
    """
    needs_none = style in _REACHED_OTHERWISE or item.delivery.kind is Kind.RESULT
    if needs_none or len(item.body) * _LONGEST_TWIN <= limit_chars:
        return ""
    return tx.message_id(item.delivery.message)


def _limit_chars(kind: str, boundary: Boundary) -> int:
    """What it may take of the window; a result perhaps less, where results are shown inline."""
    policy = boundary.policy
    most = min(policy.rendered_chars_max, quarter_of(boundary.facts.window_tokens))
    is_cut = policy.result_form == "inline" and kind in (Kind.RESULT, Kind.REPLY)
    return min(most, policy.result_chars_max) if is_cut else most
