"""Conversations after a kill: each message a node once, each call one result, no request changed."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from postroom.domain.event import EventKind
from postroom.domain.message import Kind, State
from postroom.domain.node import Role
from postroom.llm import strict
from postroom.llm.port import ModelRequest
from postroom.runtime.transcript import Transcript
from postroom.service.contexts import read_texts
from postroom.store.sqlite import SqliteStore
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.journal import Journal, digest, texts
from postroom.testing.crash.record import Record, Row, shown


def once(record: Record) -> Iterator[Finding]:
    """Each message stands in a conversation at most once, written by a turn of its recipient.

    What was read stands in its recipient's conversation, or where a revert has left it.
    """
    recipients = {(d.num("message_id"), d.num("recipient_branch_id")) for d in record.deliveries}
    ran_on = {turn.num("id"): turn.num("branch_id") for turn in record.turns}
    for branch in record.branches:
        path = record.path(branch)
        seen = Counter(message for node in path for message in shown(node))
        for message, times in seen.items():
            if times > 1:
                yield _doubled(f"message {message} stands {times} times in branch {branch.num('id')}")
        for node in path:
            if any((message, ran_on[node.num("turn_id")]) not in recipients for message in shown(node)):
                yield _invalid(f"node {node.num('id')} shows a message that was sent to somebody else")
        yield from _read(record, branch, path)


def _read(record: Record, branch: Row, path: list[Row]) -> Iterator[Finding]:
    """The mail of one branch against its conversation, and against what reverts have left of it."""
    own = [d for d in record.deliveries if d.num("recipient_branch_id") == branch.num("id")]
    sealed = [b for b in record.branches if b.key("sealed_from_branch_id") == branch.num("id")]
    now = {node.num("id") for node in path}
    left = {node.num("id") for one in sealed for node in record.path(one)} - now
    for d in own:
        if (found := _unread(record, d, left if d.num("reverted") else now)) is not None:
            yield found


def _unread(record: Record, d: Row, nodes: set[int]) -> Finding | None:
    """A result that a call returned stands in that call's results; all else is a node of its own."""
    if d.txt("state") != State.CONSUMED:
        return None
    node, seen = d.key("node_id"), {message for key in nodes for message in shown(record.nodes[key])}
    # What a call returned is read again as a node of its own when a revert has left the call.
    by_call = (
        node is not None and record.nodes[node].txt("role") == Role.TOOL and d.txt("kind") == Kind.RESULT
    )
    if node not in nodes or (not by_call and d.num("message_id") not in seen):
        return _lost(f"delivery {d.num('id')} counts as read and is in nobody's context")
    if by_call and d.num("message_id") in seen:
        return _doubled(f"delivery {d.num('id')} was returned by a call and is a node too")
    return None


def answered(record: Record) -> Iterator[Finding]:
    """Mail counts as read only when the answer to a request that held it is committed."""
    answers = {(e.num("turn"), e.num("round")) for e in record.of_kind(EventKind.ANSWER_COMMITTED)}
    for read in record.of_kind(EventKind.MESSAGE_CONSUMED):
        if (read.num("turn"), read.num("round")) not in answers:
            yield _lost(f"delivery {read.num('delivery')} counts as read, and no answer followed")


def pairs(record: Record) -> Iterator[Finding]:
    """G6: behind an answer with calls stands one node with their results, and every call has its one."""
    of_round = Counter((c.num("turn_id"), c.num("round")) for c in record.calls)
    for branch in record.branches:
        path = record.path(branch)
        answers = [node for node in path if node.txt("role") == Role.ASSISTANT]
        results = Counter(_round(node) for node in path if node.txt("role") == Role.TOOL)
        yield from (_doubled(f"round {r} has {n} nodes of results") for r, n in results.items() if n > 1)
        for node in answers:
            called = len(json.loads(node.txt("parts"))["calls"])
            if called != of_round[_round(node)]:
                yield _invalid(
                    f"the answer of {_round(node)} calls {called}, the rows say {of_round[_round(node)]}"
                )
        yield from _unanswered(path)
    for call in record.calls:
        if call.txt("state") != "ended" or not call.has("result"):
            yield _lost(f"call {call.num('id')} has no result")


def _unanswered(path: list[Row]) -> Iterator[Finding]:
    followers = dict(pairwise([node.num("id") for node in path]))
    by_key = {node.num("id"): node for node in path}
    for node in path:
        if node.txt("role") != Role.ASSISTANT or not json.loads(node.txt("parts"))["calls"]:
            continue
        after = by_key.get(followers.get(node.num("id"), 0))
        if after is None or after.txt("role") != Role.TOOL or _round(after) != _round(node):
            yield _invalid(f"the calls of {_round(node)} are not followed by their results")


def _round(node: Row) -> tuple[int, int]:
    return node.num("turn_id"), node.num("round")


def same_requests(record: Record, journal: Journal) -> Iterator[Finding]:
    """A request continues the one before it on its branch, byte for byte, across every restart (O-11).

    It may begin anew once for each revert and each summary of the branch.
    """
    last: dict[str, list[str]] = {}
    anew = _anew(record)
    for entry in journal.entries("asked"):
        branch, items = str(entry["branch"]), texts(entry["items"])
        before = last.get(branch, [])
        if items[: len(before)] != before:
            anew[branch] -= 1
        if anew[branch] < 0:
            yield _invalid(f"a request of branch {branch} does not continue the one before it")
        last[branch] = items
    yield from (
        _invalid(f"a bad request: {flaw['agent']}: {flaw['text']}") for flaw in journal.entries("flaw")
    )


def _anew(record: Record) -> Counter[str]:
    """How often each branch was taken back or summed up, by its public id."""
    names = {branch.num("id"): branch.txt("public_id") for branch in record.branches}
    kinds = (EventKind.BRANCH_REVERTED, EventKind.CONTEXT_COMPACTED)
    return Counter(names[event.num("branch")] for kind in kinds for event in record.of_kind(kind))


def strict_requests(record: Record, journal: Journal, store: SqliteStore) -> Iterator[Finding]:
    """The next request of every branch passes the strictest provider and continues the last one."""
    last = {str(entry["branch"]): texts(entry["items"]) for entry in journal.entries("asked")}
    anew = _anew(record)
    for branch in record.branches:
        if branch.num("session_id") in record.deleted:
            continue
        name, head = branch.txt("public_id"), branch.key("head_node_id")
        transcript = Transcript()
        if head is not None:
            transcript.extend(*store.look(read_texts, head))
        request = ModelRequest(agent=name, branch=name, instructions="", items=tuple(transcript.items))
        if (flaw := strict.check(request)) is not None:
            yield _invalid(f"branch {name}: {flaw}")
        asked = [] if anew[name] else last.get(name, [])
        if [digest(item) for item in request.items][: len(asked)] != asked:
            yield _invalid(f"branch {name} would not be asked again what it was asked")


def _lost(text: str) -> Finding:
    return Finding(trouble=Trouble.LOST, text=text)


def _doubled(text: str) -> Finding:
    return Finding(trouble=Trouble.DOUBLED, text=text)


def _invalid(text: str) -> Finding:
    return Finding(trouble=Trouble.INVALID, text=text)
