"""Conversations as records, for a file that people or programs read: who said what, where it came from.

One snapshot, one record at a time, so that an export is exact beside a process that writes and needs no
more memory for a hundred thousand messages than for ten. A part's provenance is a field of its own and
never read out of its text. What only operators need (fences, keys of rows, a provider's opaque parts) is in
no record; events come with `full` alone.
"""

import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from postroom.domain.keys import SessionKey
from postroom.domain.node import Role, facts_of, is_joined, parts_of, said
from postroom.domain.plain import Json
from postroom.domain.turn import call_id
from postroom.llm.clean import clean_json
from postroom.observe.event_view import Names, read_session_events
from postroom.observe.export_talk import card_head, sign, tree_asked_for, undelivered
from postroom.observe.glance import Glance
from postroom.observe.looks import as_json
from postroom.rules.envelope import render, render_node
from postroom.rules.envelope_peer import source_of
from postroom.rules.paths import n_shared
from postroom.rules.text import shorten
from postroom.rules.text_json import scrub_arguments
from postroom.service.recovery import STORE_LOG
from postroom.store.tx_export import BesideRow, ExportTx, MadeRow, MailRow, NodeRow, SessionRow
from postroom.store.tx_views import FullCallRow

Record: TypeAlias = dict[str, Json]
FORMAT: Final = 2
"""Raised when a program that reads records would have to change."""
TEXT_CHARS: Final = 4_000
"""Longest text in an export that is not full."""
ARGUMENTS_CHARS: Final = 400
"""Longest arguments of a call in an export that is not full."""
EVENTS_AT_ONCE: Final = 500
NOTICES_AT_ONCE: Final = 100
_COUNTED: Final = {"left": "left", "branch": "branches", "undelivered": "undelivered"}
_OF_A_BUS: Final = frozenset(("card", "card_end", "undelivered"))
"""Counted only where there are some."""


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
    place = _Place(own, session.key, session.branch, session.head, is_talk=is_talk)
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


class _Place(NamedTuple):
    """Whose conversation is written: the fields that say so in every record, and where it stands."""

    fields: Record
    session: int
    branch: int
    head: int | None
    is_talk: bool = False
    """Whether its agents talk on the bus of a turn: each part has a signature, and what a call has made
    stands where the call does.
    """
    is_made: bool = False
    """Whether it stands in the conversation of who made it."""


def _of_branch(tx: ExportTx, place: _Place, scope: _Scope) -> Iterator[Record]:
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
    tx: ExportTx, place: _Place, keys: Sequence[int], scope: _Scope, *, first: int = 0
) -> Iterator[Record]:
    """What people see of a path from a node on, numbered from its beginning."""
    number, last = 0, None
    for n, key in enumerate(keys):
        node = tx.node_in_full(key)
        if place.is_talk and last is not None and last.turn != node.turn:
            yield from undelivered(tx, last, place.fields)
        for part in _parts(tx, node, place, is_newest=n == len(keys) - 1, full=scope.full):
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


def _cards(tx: ExportTx, node: NodeRow, place: _Place, scope: _Scope) -> Iterator[Record]:
    """Whom the calls of an answer have made, each with all that it did, if it is of the same tree."""
    root = tx.session_row(SessionKey(place.session)).root
    for made in tx.made_in_round(node.turn, node.round):
        if made.root == root and made.session not in scope.exported:
            scope.exported[made.session] = made.session_id
            yield from _card(tx, node, made, scope)


def _card(tx: ExportTx, node: NodeRow, made: MadeRow, scope: _Scope) -> Iterator[Record]:
    about = card_head(node, made)
    yield {"type": "card", **about, **_shown(made.task, TEXT_CHARS, full=scope.full, name="task")}
    own: Record = {"session_id": made.session_id}
    place = _Place(own, made.session, made.branch, made.head, is_talk=True, is_made=True)
    yield from _of_branch(tx, place, scope)
    if scope.full:
        yield from _events(tx, made.session, scope.names)
    yield {"type": "card_end", **about, "cause": made.cause}


def _parts(tx: ExportTx, node: NodeRow, place: _Place, *, is_newest: bool, full: bool) -> Iterator[Record]:
    match node.role:
        case Role.TOOL:
            yield from _results(tx, node, place, full=full)
        case Role.ASSISTANT:
            signed: Record = {"sign": "assistant"} if place.is_talk else {}
            answer = _answer(tx, node, full=full)
            yield answer | signed
            if place.is_talk and is_newest and answer["calls"]:
                yield from _results(tx, node, place, full=full)
        case Role.SUMMARY:
            text = str(json.loads(node.parts)["text"])
            yield {"kind": "summary", "sender": "", **_shown(text, TEXT_CHARS, full=full)}
        case _:
            record = _said(node, full=full)
            yield record | (_heard(node, place, full=full) if place.is_talk else {})


def _results(tx: ExportTx, node: NodeRow, place: _Place, *, full: bool) -> Iterator[Record]:
    """What came of the calls of a round; where agents talk, with what they were given, open ones too."""
    made = {one.position: one for one in tx.made_in_round(node.turn, node.round)} if place.is_talk else {}
    for call in tx.calls_in_full(node.turn, node.round):
        record: Record = {"role": "tool", **_result(node, call, full=full)}
        if place.is_talk:
            text = scrub_arguments(call.arguments)
            record |= {"sign": "call", **_shown(text, TEXT_CHARS, full=full, name="arguments")}
            record["is_open"] = call.result is None
            if call.position in made:
                record["card"] = made[call.position].session_id
        yield record


def _said(node: NodeRow, *, full: bool) -> Record:
    """What was said to the agent: by the person, by another agent, or by the runtime."""
    facts = facts_of(node.parts)
    joined = is_joined(node.parts)
    record: Record = {
        "kind": "joined" if joined else node.kind or facts.kind,
        "sender": "" if joined else node.sender_address or facts.sender, "message_id": node.message_id,
    }  # fmt: skip
    if facts.outcome and not joined:
        record["outcome"] = facts.outcome
    if not joined and (source := source_of(facts, node.message_id)):
        record["source"] = dict(source)
    if joined:
        record["parts"] = [
            {"kind": one.facts.kind, "sender": one.facts.sender, **_shown(one.body, TEXT_CHARS, full=full)}
            for one in parts_of(node.parts, node.body or "[]")
        ]
    text = said(node.parts, node.body) if node.body is not None else render("", facts)
    return record | _shown(text, TEXT_CHARS, full=full)


def _heard(node: NodeRow, place: _Place, *, full: bool) -> Record:
    """How it is signed, and how the agent has read it."""
    text = render_node(node.parts, node.body)
    return {"sign": sign(node, is_made=place.is_made), **_shown(text, TEXT_CHARS, full=full, name="shown")}


def _answer(tx: ExportTx, node: NodeRow, *, full: bool) -> Record:
    calls: list[Json] = [_call(node, call, full=full) for call in tx.calls_in_full(node.turn, node.round)]
    return {**_shown(str(json.loads(node.parts)["text"]), TEXT_CHARS, full=full), "calls": calls}


def _call(node: NodeRow, call: FullCallRow, *, full: bool) -> Record:
    """What the model asked for, and what hooks have made of it."""
    record: Record = {
        "call_id": call_id(node.turn, node.round, call.position), "tool": call.tool,
        **_shown(scrub_arguments(call.arguments), ARGUMENTS_CHARS, full=full, name="arguments"),
    }  # fmt: skip
    if call.changed_by:
        text = scrub_arguments(call.changed_arguments or "")
        record |= _shown(text, ARGUMENTS_CHARS, full=full, name="changed_arguments")
        record["changed_by"] = call.changed_by
    return record


def _result(node: NodeRow, call: FullCallRow, *, full: bool) -> Record:
    record: Record = {
        "call_id": call_id(node.turn, node.round, call.position), "tool": call.tool,
        "is_error": bool(call.is_error), "ended_by": call.ended_by, "message_id": call.message_id,
    }  # fmt: skip
    if call.images:
        record["images"] = [_image(image, full=full) for image in json.loads(call.images)]
    return record | _shown(call.result or "", TEXT_CHARS, full=full)


def _image(image: dict[str, str], *, full: bool) -> Json:
    """A picture in base64, or only what it is and how long that text is."""
    shown: Record = {"media_type": image["media_type"], "base64_chars": len(image["data"])}
    return shown | {"base64": image["data"]} if full else shown


def _message(place: _Place, mail: MailRow, *, full: bool) -> Record:
    record: Record = {
        "type": "message", **place.fields, "message_id": mail.message_id, "kind": mail.kind,
        "mode": mail.mode, "sender": mail.sender_address, "created_us": mail.created_us, "state": mail.state,
        "parked": bool(mail.parked), "reason": mail.reason,
    }  # fmt: skip
    if mail.reverted:
        record["reverted"] = True
    if not full:
        return record | _shown(mail.body, TEXT_CHARS, full=False)
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


def _shown(text: str, limit_chars: int, *, full: bool, name: str = "text") -> Record:
    """The text whole, or head and tail of it with how many characters there were."""
    if full or len(text) <= limit_chars:
        return {name: text}
    return {name: shorten(text, limit_chars), f"{name}_chars": len(text)}
