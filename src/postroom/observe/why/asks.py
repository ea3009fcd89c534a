"""An ask, and the leave for a whole tree that was given by it or covers a message."""

import json

from postroom.domain.ask import Ask
from postroom.domain.event import EventKind
from postroom.domain.message import Kind
from postroom.observe.why.parts import Asked, Granted
from postroom.observe.why.sight import Sight, excerpt
from postroom.service.meeting import relation_of, vantage_at
from postroom.store.tx_why import GivenGrant, Written


def asked(sight: Sight, ask: Ask) -> Asked:
    """One ask."""
    given = (g for g in sight.tx.grants_of_root(ask.root) if g.ask == ask.key)
    return Asked(
        ask_id=ask.public_id, kind=ask.kind, agent=sight.agent(ask.branch), turn_id=sight.turn_id(ask.turn),
        call_id=sight.call_id(ask.call), action=ask.action, resource=ask.resource, tool=ask.tool,
        to=None if ask.recipient is None else sight.agent(ask.recipient), text=excerpt(ask.text),
        options=tuple(str(option) for option in json.loads(ask.options)), state=ask.state,
        by=ask.decided_by, scope=ask.scope, answer=excerpt(ask.answer), requested_us=ask.requested_us,
        due_us=ask.due_us, decided_us=ask.decided_us, grants=tuple(_granted(sight, g) for g in given),
    )  # fmt: skip


def asks_of_call(sight: Sight, call: int | None) -> tuple[Asked, ...]:
    """What was asked for a call, oldest first."""
    asks = sight.tx.asks_of_call(call) if call else []
    return tuple(asked(sight, ask) for ask in reversed(asks))


_SENDS = (Kind.MAIL, Kind.TASK)


def covering(sight: Sight, message: Written, recipient: int, pos: int) -> tuple[Granted, ...]:
    """Leave for the whole tree that held for this deed at `pos` of the log, where it was accepted."""
    call = sight.tx.call_made(message.call) if message.call else None
    if call is None or message.sender is None or message.kind not in (*_SENDS, Kind.PROMPT):
        return ()
    sender, to = sight.tx.branch_row(message.sender), sight.tx.branch_row(recipient)
    if message.kind in _SENDS:
        own, kin = vantage_at(sight.tx, sender.key), sight.tx.recipient_by_branch(None, to.key)
        label = relation_of(sight.tx, own, sender.parent_branch, kin)
        deed = ("message", label, to.key, call.tool)
    else:
        deed = ("delegate", to.profile, None, call.tool)
    root = sight.tx.session_row(sender.session).root
    held = _held(sight, root, pos)
    return tuple(
        _granted(sight, g)
        for g in sight.tx.grants_of_root(root)
        if g.key in held and (g.action, g.resource, g.recipient, g.tool) == deed
    )


def _held(sight: Sight, root: int, pos: int) -> set[int]:
    """The grants of a tree that held at a place of the log."""
    held = set[int]()
    for entry in sight.seldom(root):
        grant = entry.number("grant")
        if grant is None or entry.pos > pos:
            continue
        if entry.kind == EventKind.GRANT_GIVEN:
            held.add(grant)
        else:
            held.discard(grant)
    return held


def _granted(sight: Sight, grant: GivenGrant) -> Granted:
    ask = sight.tx.ask_row(grant.ask)
    return Granted(
        grant=grant.key, ask_id=ask.public_id if ask else "", given_us=grant.granted_us,
        revoked_us=grant.revoked_us,
    )  # fmt: skip
