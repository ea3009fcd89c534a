"""What another agent has said and done, for an agent that asks: `read_conversation`.

Any conversation that the reader could write to may be read, an archived one and a path that a revert has left
too. A conversation's turns are its texts and answers, numbered along its path from 1; the calls of an answer
belong to it. Only as many are loaded as fit.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from postroom.domain.keys import BranchKey, NodeKey
from postroom.domain.node import Node, Role, facts_of, is_joined, said
from postroom.domain.receipt import Code, Refusal
from postroom.domain.session import Session
from postroom.rules import naming
from postroom.rules.envelope import INHERITED, render, render_node
from postroom.rules.naming import SHOWN_CHARS, of_branch
from postroom.rules.text_json import scrub_arguments
from postroom.service.addresses import find_branch, find_in_tree
from postroom.service.listing import Reader, may_reach
from postroom.service.meeting import Vantage, vantage_at, vantage_in
from postroom.store.tx import Tx

NODES_AT_ONCE = 25
HEAD_CHARS = 200
"""Room for the line over what is read, and the one that says where it goes on."""
JOINED = "joined"
"""What a text is that several messages share: each of them in it says whose it is."""
GAP_CHARS = 2
"""Between two turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A decoded `read_conversation`."""

    session: str = ""
    """A session, an address, a name, a task or a message; empty: the reader's own session."""
    head: str = ""
    """A branch of it, or a node; empty: where it stands."""
    first: int = 0
    last: int = 0
    """Turns from 1 on; negative ones count from the end, 0 is everything."""
    with_calls: bool = True
    max_chars: int = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """One call under its turn; `state` is `ok`, `FAILED`, or `open`."""

    tool: str
    state: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBlock:
    """One text or answer of a conversation, as it is stored."""

    number: int
    role: str
    """`user`, `assistant`, or `summary`."""
    kind: str = ""
    """What a text is that is no answer: `user`, `mail`, `task`, `notice` and so on."""
    sender: str = ""
    is_root: bool = False
    """Whether the conversation of a spawned agent begins here."""
    text: str
    calls: tuple[CallLine, ...] = ()


RenderBlock: TypeAlias = Callable[[TurnBlock], str]
"""The surface's words for a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A part of a conversation, or of one long text in pages, in the surface's words."""

    of: str
    """What was read: the address of the branch, or the id of the task or message."""
    unit: str
    """`turns` or `pages`."""
    total: int
    first: int = 0
    last: int = 0
    """What is shown; `last` is less than `first` where there is nothing in the range."""
    until: int = 0
    """Where the range ends that was asked for."""
    texts: tuple[str, ...] = field(default=())


def read_conversation(tx: Tx, reader: Reader, request: ReadRequest, render: RenderBlock) -> Reading | Refusal:
    """As many turns as fit, from the first one that was asked for.

    Refuses `unknown_session`, `unknown_node`, `unknown_task`, `unknown_reference`, `ambiguous`, `no_task` for
    a task without a result yet, and what `find_branch` refuses.
    """
    given = request.session.strip()
    if naming.is_task_id(given):
        return _of_task(tx, reader, given, request)
    if naming.is_uuid(given) and tx.session_by_public_id(given) is None:
        return _of_letter(tx, reader, given, request)
    found = _find(tx, reader, given, request.head.strip())
    if isinstance(found, Refusal):
        return found
    address, head = found
    return _read(tx, address, head, request, render)


def _find(tx: Tx, reader: Reader, given: str, head: str) -> tuple[str, NodeKey | None] | Refusal:
    """(address, node) of what is meant: the newest node that is read."""
    left, _, right = given.partition(":")
    session = tx.session_row(reader.session) if not given else tx.session_by_public_id(left)
    if session is not None and not _may_read(tx, reader, vantage_in(tx, session.key)):
        session = None
    if session is None:
        is_name = given and not naming.is_uuid(left)
        found = _named(tx, given, vantage_at(tx, reader.branch)) if is_name else _no_session(given)
        return found if isinstance(found, Refusal) else _reachable(tx, reader, found, given)
    place = head or right.strip()
    return _of_branch(tx, session.active_branch) if not place else _in_session(tx, session, place)


def _may_read(tx: Tx, reader: Reader, other: Vantage) -> bool:
    """Where the policy lets an agent read conversations at all, those of whom it may reach."""
    reads = tx.policy(tx.session_row(reader.session).policy).reads
    return reads in ("anything", "workspace") and may_reach(tx, reader, other)


def _named(tx: Tx, given: str, viewer: Vantage) -> BranchKey | Refusal:
    """By the grammar of the reader: where agents of a tree have handles, these come first."""
    if tx.policy(viewer.policy).spawns == "branch":
        return find_branch(tx, given, viewer)
    found = find_in_tree(tx, given, viewer)
    return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": given[:SHOWN_CHARS]}) if found is None else found


def _no_session(given: str) -> Refusal:
    return Refusal(code=Code.UNKNOWN_SESSION, facts={"to": given[:SHOWN_CHARS]})


def _reachable(tx: Tx, reader: Reader, branch: BranchKey, given: str) -> tuple[str, NodeKey | None] | Refusal:
    if not _may_read(tx, reader, vantage_at(tx, branch)):
        return Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": given[:SHOWN_CHARS]})
    return _of_branch(tx, branch)


def _of_branch(tx: Tx, branch: BranchKey) -> tuple[str, NodeKey | None]:
    row = tx.branch_row(branch)
    return of_branch(tx.session_row(row.session).public_id, row.public_id), row.head


def _in_session(tx: Tx, session: Session, place: str) -> tuple[str, NodeKey | None] | Refusal:
    """A branch by its id or its name, or a node: then the conversation up to there."""
    if naming.is_uuid(place):
        branch = tx.readable_branch(session.key, place)
        return _no_node(place) if branch is None else _of_branch(tx, branch)
    if (number := naming.node_number(place)) is not None:
        node = NodeKey(number)
        at = tx.said_at(node)
        if at is not None and (at[1] == session.key or tx.branches_through(session.key, node)):
            return f"{session.public_id}:{node}", node
        return _no_node(place)
    named = tx.branches_named(session.key, place, 2)
    if len(named) > 1:
        return Refusal(code=Code.AMBIGUOUS, facts={"to": place[:SHOWN_CHARS]})
    return _of_branch(tx, named[0]) if named else _no_node(place)


def _no_node(place: str) -> Refusal:
    return Refusal(code=Code.UNKNOWN_NODE, facts={"head": place[:SHOWN_CHARS]})


def _read(tx: Tx, address: str, head: NodeKey | None, request: ReadRequest, render: RenderBlock) -> Reading:
    at = None if head is None else tx.said_at(head)
    total = 0 if at is None else at[0]
    first, last = span(request.first, request.last, total)
    nodes = [] if head is None or first > last else tx.said_between(head, first, last)
    texts, chars = list[str](), HEAD_CHARS
    for block in _blocks(tx, nodes, with_calls=request.with_calls):
        text = render(block)
        chars += len(text) + GAP_CHARS
        if texts and chars > request.max_chars:
            break
        texts.append(text)
    return Reading(
        of=address, unit="turns", total=total, first=first, last=first + len(texts) - 1, until=last,
        texts=tuple(texts),
    )  # fmt: skip


def span(first: int, last: int, total: int) -> tuple[int, int]:
    """The turns that are meant. Negative numbers count from the end, 0 leaves the end open."""
    begin = first + total + 1 if first < 0 else first
    end = last + total + 1 if last < 0 else last or total
    return max(begin, 1), min(end, total)


def _blocks(tx: Tx, nodes: list[tuple[NodeKey, int]], *, with_calls: bool) -> Iterator[TurnBlock]:
    for at in range(0, len(nodes), NODES_AT_ONCE):
        page = nodes[at : at + NODES_AT_ONCE]
        loaded = tx.nodes_by_key([node for node, _ in page])
        for node, (_, number) in zip(loaded, page, strict=True):
            yield _block(tx, node, number, with_calls=with_calls)


def _block(tx: Tx, node: Node, number: int, *, with_calls: bool) -> TurnBlock:
    parts = json.loads(node.parts)
    if node.role == Role.USER and is_joined(node.parts):
        text = render_node(node.parts, node.body)
        return TurnBlock(number=number, role=node.role, kind=JOINED, text=text)
    if node.role == Role.USER:
        facts = facts_of(node.parts)
        text = said(node.parts, node.body)
        if facts.kind == INHERITED or not text:
            text = render(text, facts)
        is_root = number == 1 and facts.kind == "prompt"
        return TurnBlock(
            number=number, role=node.role, kind=facts.kind, sender=facts.sender, is_root=is_root, text=text
        )
    calls = _calls(tx, node) if with_calls and parts.get("calls") else ()
    return TurnBlock(number=number, role=node.role, text=str(parts.get("text", "")), calls=calls)


def _calls(tx: Tx, node: Node) -> tuple[CallLine, ...]:
    return tuple(
        CallLine(
            tool=call.tool,
            state="open" if call.state == "open" else "FAILED" if call.is_error else "ok",
            arguments=scrub_arguments(call.arguments), result=call.result or "",
        )
        for call in tx.calls_in_full(node.turn, node.round)
    )  # fmt: skip


def _of_task(tx: Tx, reader: Reader, task_id: str, request: ReadRequest) -> Reading | Refusal:
    """The whole result of a task, page by page."""
    found = tx.result_of_task(task_id)
    if found is None or not _sees(tx, reader, found.dispatcher, found.target):
        return Refusal(code=Code.UNKNOWN_TASK, facts={"task": task_id[:SHOWN_CHARS]})
    if not found.outcome:
        return Refusal(code=Code.NO_TASK, facts={"task": task_id[:SHOWN_CHARS], "state": found.state})
    return _pages(task_id, found.result or found.cause, request)


def _of_letter(tx: Tx, reader: Reader, message_id: str, request: ReadRequest) -> Reading | Refusal:
    """The whole text of a message that the reader wrote or was sent, or that it has inherited."""
    found = tx.letter_by_id(message_id.lower())
    if found is None:
        return _no_session(message_id)
    if reader.branch not in (found.sender, found.recipient):
        stands_in = () if found.node is None else tx.branches_through(reader.session, found.node)
        if reader.branch not in stands_in:
            return _no_session(message_id)
    return _pages(message_id, found.body, request)


def _sees(tx: Tx, reader: Reader, *branches: BranchKey) -> bool:
    """Whether the conversation of one of these may be read."""
    return any(_may_read(tx, reader, vantage_at(tx, branch)) for branch in branches)


def _pages(of: str, text: str, request: ReadRequest) -> Reading:
    """One long text in pages, one at a time: what is shown of each, with its header, fits what was asked for.

    A sign may be shown as two (`rules.markers`).
    """
    size = max((request.max_chars - HEAD_CHARS) // 2, 1)
    total = max((len(text) + size - 1) // size, 1)
    page, _ = span(request.first or 1, 0, total)
    shown = (text[(page - 1) * size : page * size],) if page <= total else ()
    return Reading(
        of=of, unit="pages", total=total, first=page, last=page + len(shown) - 1, until=total, texts=shown
    )
