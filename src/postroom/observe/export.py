"""Conversations as records, for a file that people or programs read: who said what, where it came from.

One snapshot, one record at a time, so that an export is exact beside a process that writes and needs no
more memory for a hundred thousand messages than for ten. A part's provenance is a field of its own and
never read out of its text. What only operators need (fences, keys of rows, a provider's opaque parts) is in
no record; events come with `full` alone.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from postroom.domain.keys import SessionKey
from postroom.llm.clean import clean_json
from postroom.observe.event_view import Names, read_session_events
from postroom.observe.export_parts import TEXT_CHARS, Place, Record, parts_of_node, shown
from postroom.observe.export_talk import card_head, tree_asked_for, undelivered
from postroom.observe.glance import Glance
from postroom.observe.looks import as_json
from postroom.rules.paths import n_shared
from postroom.service.recovery import STORE_LOG
from postroom.store.tx_export import BesideRow, ExportTx, MadeRow, MailRow, NodeRow, SessionRow

FORMAT: Final = 2
"""Raised when a program that reads records would have to change."""
EVENTS_AT_ONCE: Final = 500
NOTICES_AT_ONCE: Final = 100
_COUNTED: Final = {"left": "left", "branch": "branches", "undelivered": "undelivered"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is exported: the tree of one agent or all, shortened or in full."""

    session: str | None = None
    full: bool = False


def each_record(glance: Glance, ask: Ask, take: Callable[[Record], None]) -> Record:
    """Hand every record of a store to `take`, one by one; what the last one counts. Raises `NotFound`."""

    def read(tx: ExportTx) -> Record:
        last: Record = {}
        for last in records(tx, ask):
            take(last)
        return {name: count for name, count in last.items() if name != "type"}

    return glance.read_as(ExportTx, read)


def records(tx: ExportTx, ask: Ask) -> Iterator[Record]:
    """Every record of an export, clean of what no encoder takes. Raises `NotFound` before the first."""
    roots = tx.roots_behind(0) if ask.session is None else iter([tree_asked_for(tx, ask.session)])
    for record in _records(tx, roots, ask):
        cleaned = clean_json(record)
        assert isinstance(cleaned, dict)  # noqa: S101 -- cleaning keeps the shape
        yield cleaned


def _records(tx: ExportTx, roots: Iterator[int], ask: Ask) -> Iterator[Record]:
    yield {
        "type": "export", "format": FORMAT, "full": ask.full, "at_us": tx.now_us, "pos": tx.last_pos(),
    }  # fmt: skip
    counts = {"session": 0, "branch": 0, "item": 0, "left": 0, "message": 0, "event": 0, "notice": 0}
    for record in _content(tx, roots, ask):
        kind = str(record["type"])
        counts[kind] = counts.get(kind, 0) + 1
        yield record
    counts.pop("card_end", None)
    yield {"type": "end", **{_COUNTED.get(name, f"{name}s"): n for name, n in counts.items()}}


def _content(tx: ExportTx, roots: Iterator[int], ask: Ask) -> Iterator[Record]:
    names, exported = Names(), dict[int, str]()
    for root in roots:
        for session in tx.tree_behind(root):
            if session.key not in exported:
                exported[session.key] = session.public_id
                yield from _of_session(tx, session, _Scope(names, exported, ask.full))
    if ask.full and ask.session is None:
        yield from _events(tx, STORE_LOG, names)
    yield from _notices(tx, exported)


def _notices(tx: ExportTx, exported: Mapping[int, str]) -> Iterator[Record]:
    """What the runtime told the person about these agents."""
    after = 0
    while page := tx.person_notices_after(after, NOTICES_AT_ONCE):
        for notice in page:
            after = notice.key
            if notice.session in exported:
                yield {
                    "type": "notice", "session_id": exported[notice.session], "code": notice.code,
                    "text": notice.body, "at_us": notice.created_us,
                }  # fmt: skip


class _Scope(NamedTuple):
    """What all of one export has in common."""

    names: Names
    exported: dict[int, str]
    """Sessions that are in it already, by key: what a card shows is shown there only."""
    full: bool


def _of_session(tx: ExportTx, session: SessionRow, scope: _Scope) -> Iterator[Record]:
    record = _session(session, full=scope.full)
    if (origin := tx.forked_from(session.key)) is not None:
        record["forked_from"] = origin
    yield record
    own: Record = {"session_id": session.public_id}
    is_talk = tx.policy(tx.session_row(SessionKey(session.key)).policy).mailbox == "turn"
    place = Place(own, session.key, session.branch, session.head, is_talk=is_talk)
    yield from _of_branch(tx, place, scope)
    for beside in tx.branches_beside(session.key, session.branch):
        yield _branch(session, beside)
        fields: Record = {**own, "branch_id": beside.public_id}
        yield from _of_branch(
            tx, place._replace(fields=fields, branch=beside.branch, head=beside.head), scope
        )
    if scope.full:
        yield from _events(tx, session.key, scope.names)


def _session(session: SessionRow, *, full: bool) -> Record:
    state = session.turn_state or session.last_turn_state or "idle"
    record: Record = {
        "type": "session", "session_id": session.public_id, "parent_id": session.parent_id,
        "handle": session.handle, "profile": session.profile, "title": session.title, "depth": session.depth,
        "state": "paused" if session.paused_by is not None else state, "created_us": session.created_us,
    }  # fmt: skip
    return {**record, "team": session.team, "cwd": session.cwd} if full else record


def _branch(session: SessionRow, row: BesideRow) -> Record:
    """An agent beside the one that the session is of. What follows is of it, and has its `branch_id`."""
    state = row.turn_state or row.last_turn_state or "idle"
    record: Record = {
        "type": "branch", "session_id": session.public_id, "branch_id": row.public_id, "name": row.name,
        "parent_branch_id": row.parent_id, "profile": row.profile,
        "state": "paused" if row.paused_by is not None else state, "created_us": row.created_us,
    }  # fmt: skip
    if row.archived_us is not None:
        record |= {"archived_us": row.archived_us, "archived_reason": row.archived_reason}
    return record


def _of_branch(tx: ExportTx, place: Place, scope: _Scope) -> Iterator[Record]:
    """The conversation that goes on, the parts that reverts have left, oldest first; then mail beside it."""
    keys = _keys(tx, place.head)
    yield from _items(tx, place, keys, scope)
    for sealed in tx.sealed_branches(place.session):
        if sealed.sealed_from != place.branch:
            continue
        left = _keys(tx, sealed.head)
        about: Record = {"sealed_id": sealed.branch_id, "left_us": sealed.sealed_us}
        for item in _items(tx, place, left, scope, first=n_shared(keys, left)):
            yield {**item, "type": "left", **about} if item["type"] == "item" else item
    for mail in tx.mail_behind(place.branch, every=scope.full):
        yield _message(place, mail, full=scope.full)


def _keys(tx: ExportTx, head: int | None) -> Sequence[int]:
    """The nodes of a path, oldest first; they alone are all in memory, eight bytes each."""
    keys = array("q") if head is None else array("q", tx.keys_to_head(head))
    keys.reverse()
    return keys


def _items(
    tx: ExportTx, place: Place, keys: Sequence[int], scope: _Scope, *, first: int = 0
) -> Iterator[Record]:
    """What people see of a path from a node on, numbered from its beginning."""
    number, last = 0, None
    for n, key in enumerate(keys):
        node = tx.node_in_full(key)
        if place.is_talk and last is not None and last.turn != node.turn:
            yield from undelivered(tx, last, place.fields)
        for part in parts_of_node(tx, node, place, is_newest=n == len(keys) - 1, full=scope.full):
            number += 1
            if n >= first:
                yield {
                    "type": "item", **place.fields, "n": number, "role": node.role,
                    "provenance": node.provenance, "turn_id": node.turn_id, "round": node.round,
                    "at_us": node.created_us, **part,
                }  # fmt: skip
                if place.is_talk and part.get("sign") == "assistant":
                    yield from _cards(tx, node, place, scope)
        last = node if n >= first else None
    if place.is_talk and last is not None:
        yield from undelivered(tx, last, place.fields)


def _cards(tx: ExportTx, node: NodeRow, place: Place, scope: _Scope) -> Iterator[Record]:
    """Whom the calls of an answer have made, each with all that it did, if it is of the same tree."""
    root = tx.session_row(SessionKey(place.session)).root
    for made in tx.made_in_round(node.turn, node.round):
        if made.root == root and made.session not in scope.exported:
            scope.exported[made.session] = made.session_id
            yield from _card(tx, node, made, scope)


def _card(tx: ExportTx, node: NodeRow, made: MadeRow, scope: _Scope) -> Iterator[Record]:
    about = card_head(node, made)
    yield {"type": "card", **about, **shown(made.task, TEXT_CHARS, full=scope.full, name="task")}
    own: Record = {"session_id": made.session_id}
    place = Place(own, made.session, made.branch, made.head, is_talk=True, is_made=True)
    yield from _of_branch(tx, place, scope)
    if scope.full:
        yield from _events(tx, made.session, scope.names)
    yield {"type": "card_end", **about, "cause": made.cause}


def _message(place: Place, mail: MailRow, *, full: bool) -> Record:
    record: Record = {
        "type": "message", **place.fields, "message_id": mail.message_id, "kind": mail.kind,
        "mode": mail.mode, "sender": mail.sender_address, "created_us": mail.created_us, "state": mail.state,
        "parked": bool(mail.parked), "reason": mail.reason,
    }  # fmt: skip
    if mail.reverted:
        record["reverted"] = True
    if not full:
        return record | shown(mail.body, TEXT_CHARS, full=False)
    read: Record = {"attempts": mail.attempts, "turn_id": mail.turn_id, "round": mail.round}
    # What stands in the conversation has its text there already.
    return record | read | ({} if mail.is_in_conversation else {"text": mail.body})


def _events(tx: ExportTx, session: int, names: Names) -> Iterator[Record]:
    after = 0
    while page := read_session_events(tx, names, session, after, EVENTS_AT_ONCE):
        for event in page:
            after = event.seq
            found = as_json(event)
            assert isinstance(found, dict)  # noqa: S101 -- a view is an object
            yield {"type": "event", **found}
