"""All that one page of a transcript is made of, read in as many statements as there are kinds of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from postroom.domain.event import Event
from postroom.domain.keys import NEWEST
from postroom.domain.node import Role, is_joined, messages_in
from postroom.store.tx import Tx
from postroom.store.tx_transcript import (
    AgentLabel,
    GivenWork,
    PathNode,
    ToldAsk,
    ToldCall,
    ToldDelivery,
    ToldMessage,
    ToldTurn,
)

TEXT_CHARS = 16_000
"""How much of a text a row shows."""
CALL_CHARS = 2_000
"""How much of a call's arguments and of its result a row shows."""
PREVIEW_CHARS = 280
"""How much a card shows of what its agent said last."""
UNREAD_SHOWN = 50
"""How many unread messages a page shows."""
SILENT_SHOWN = 50
"""How many turns that left no item a page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The items of a page, oldest first, and what lies at its two ends."""

    branch: int
    nodes: Sequence[PathNode]
    turn_before: int
    """The turn of the first item, before which another page tells what ended; 0 at the beginning."""
    turn_behind: int | None
    """The turn of the item behind; none on the newest page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a page shows, by its keys."""

    turns: Mapping[int, ToldTurn]
    silent: Sequence[ToldTurn]
    """Turns without an item, oldest first."""
    calls: Mapping[tuple[int, int], Sequence[ToldCall]]
    messages: Mapping[int, ToldMessage]
    deliveries: Mapping[int, Sequence[ToldDelivery]]
    tasks: Mapping[int, GivenWork]
    replies: Mapping[int, Sequence[int]]
    """By turn: the replies that its end sent."""
    unread: Sequence[int]
    labels: Mapping[int, AgentLabel]
    answers: Mapping[int, Event]
    logged: Mapping[int, Sequence[Event]]
    asks: Mapping[int, Sequence[ToldAsk]]
    waiting: frozenset[int]
    """The calls that wait."""
    said: Mapping[int, int]
    """How much was said up to the items through which summaries stand."""
    read: Mapping[int, int]
    """By bus: how many messages of agents were read."""


def sheet(tx: Tx, span: Span) -> Sheet:
    """Read what a page shows."""
    nodes = span.nodes
    answers = [node for node in nodes if node.role == Role.ASSISTANT]
    calls = tx.calls_told(dict.fromkeys((node.turn, node.round) for node in answers), CALL_CHARS)
    turns = tx.turns_told(sorted({node.turn for node in nodes}))
    silent = _silent(tx, span)
    replies = _replies(tx, [*turns, *silent])
    unread = [] if span.turn_behind is not None else [m for _, m in tx.unread_told(span.branch, UNREAD_SHOWN)]
    caused = [call.message for call in calls if call.message is not None]
    entered = [key for node in nodes for key in entered_at(node)]
    results = [turn.result for turn in turns if turn.result is not None]
    keys = {*caused, *entered, *results, *unread, *(key for found in replies.values() for key in found)}
    messages, deliveries = tx.messages_told(sorted(keys), TEXT_CHARS), tx.deliveries_told(sorted(keys))
    tasks = tx.tasks_told(caused, PREVIEW_CHARS)
    call_keys = [call.key for call in calls]
    return Sheet(
        turns={turn.key: turn for turn in turns}, silent=silent, calls=_by_round(calls), messages=messages,
        deliveries=deliveries, tasks=tasks, replies=replies, unread=unread,
        labels=tx.labels_of_branches(_agents(span, turns, messages, deliveries, tasks)),
        answers={_key(event, "node"): event for event in tx.answers_logged(node.key for node in answers)},
        logged=_by_call(tx.calls_logged(call_keys)), asks=_asks(tx.asks_of_calls(call_keys)),
        waiting=frozenset(int(wait.call) for wait in tx.waits_of_branch(span.branch)),
        said=tx.said_of_nodes(_through(nodes)), read=tx.read_on_buses(u.bus for u in turns if u.bus),
    )  # fmt: skip


def entered_at(node: PathNode) -> tuple[int, ...]:
    """The messages that an item shows."""
    if node.role != Role.USER:
        return ()
    if node.message is not None:
        return (node.message,)
    return messages_in(node.parts) if is_joined(node.parts) else ()


def _silent(tx: Tx, span: Span) -> list[ToldTurn]:
    """Turns between the ends of the page that ended without an item."""
    first = span.turn_before
    last = NEWEST if span.turn_behind is None else span.turn_behind
    return tx.turns_without_nodes(span.branch, first, last, SILENT_SHOWN)


def _replies(tx: Tx, turns: Iterable[ToldTurn]) -> dict[int, list[int]]:
    answering = {turn.answers: turn for turn in turns if turn.answers is not None}
    found: dict[int, list[int]] = {}
    for answered, reply, sender in tx.replies_to(answering):
        turn = answering[answered]
        if sender == turn.branch:
            found.setdefault(turn.key, []).append(reply)
    return found


def _by_round(calls: Iterable[ToldCall]) -> dict[tuple[int, int], list[ToldCall]]:
    found: dict[tuple[int, int], list[ToldCall]] = {}
    for call in calls:
        found.setdefault((call.turn, call.round), []).append(call)
    return found


def _by_call(events: Iterable[Event]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(_key(event, "call"), []).append(event)
    return found


def _asks(asks: Iterable[ToldAsk]) -> dict[int, list[ToldAsk]]:
    found: dict[int, list[ToldAsk]] = {}
    for ask in asks:
        found.setdefault(ask.call, []).append(ask)
    return found


def _key(event: Event, name: str) -> int:
    return int(json.loads(event.payload)[name])


def _through(nodes: Iterable[PathNode]) -> list[int]:
    return [int(json.loads(node.parts)["through"]) for node in nodes if node.role == Role.SUMMARY]


def _agents(
    span: Span,
    turns: Iterable[ToldTurn],
    messages: Mapping[int, ToldMessage],
    deliveries: Mapping[int, Sequence[ToldDelivery]],
    tasks: Mapping[int, GivenWork],
) -> set[int]:
    """Every agent whose name the page shows."""
    found = {span.branch, *(turn.branch for turn in turns), *(task.target for task in tasks.values())}
    found |= {message.sender for message in messages.values() if message.sender}
    return found | {one.branch for standing in deliveries.values() for one in standing if one.branch}
