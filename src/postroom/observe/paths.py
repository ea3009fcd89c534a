"""The places of a conversation that a fork or a revert can name, for people (docs/why/0024)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from postroom.domain.node import Node, Role, said
from postroom.domain.path import Step
from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Refusal
from postroom.errors import NotFound, Refused
from postroom.observe.find import find_agent
from postroom.observe.looks import as_json
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.paths import is_end, items_of, n_shared
from postroom.service.paths import Path, own_path, sealed_paths
from postroom.service.revert import RevertView, revert
from postroom.store.tx import Tx

EXCERPT_CHARS = 80
_PLACES: Final = (
    "`postroom revert AGENT --dry-run` lists them; only a fork goes to a part that was taken back"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceView:
    """One place: behind this item of the conversation."""

    place: str
    """What `--to` takes. The end of a turn can be named by `turn_id` too, a message by `message_id`."""
    sealed_id: str
    """The branch that a revert left; empty on the path that goes on."""
    role: str
    turn_id: str
    message_id: str
    round: int
    text: str
    """The beginning of the item, on one line."""


def places(tx: Tx, session: str, limit: int) -> list[PlaceView]:
    """The newest places of an agent's path and of what reverts left, oldest first. Raises `NotFound`."""
    found = find_agent(tx, session)
    path = own_path(tx, found.branch)
    views = list(_newest(tx, path, 0, limit))
    for sealed in sealed_paths(tx, found.session.key, found.branch):
        views += _newest(tx, sealed, n_shared(path.nodes, sealed.nodes), limit)
    return views


def _newest(tx: Tx, path: Path, first: int, limit: int) -> Iterator[PlaceView]:
    """What lies behind the first steps; those are on another path already."""
    ends = [n for n in range(first, len(path.steps)) if is_end(path.steps[n])]
    ends = ends[max(len(ends) - limit, 0) :]
    if not ends:
        return
    before = path.steps[ends[0] - 1].node if ends[0] else None
    numbers = list(accumulate(map(items_of, path.steps)))
    texts = {node.key: node for node in tx.nodes_behind(path.head, before)}
    for n in ends:
        step = path.steps[n]
        yield PlaceView(
            place=path.address(numbers[n]), sealed_id=path.branch_id, role=step.role,
            turn_id=step.turn_id, message_id=step.message_id, round=step.round,
            text=" ".join(_text(tx, step, texts[step.node]).split())[:EXCERPT_CHARS],
        )  # fmt: skip


def _text(tx: Tx, step: Step, node: Node) -> str:
    if step.role == Role.TOOL:
        return f"results of {', '.join(call.tool for call in tx.calls_of_round(step.turn, step.round))}"
    if step.role in (Role.ASSISTANT, Role.SUMMARY):
        return str(json.loads(node.parts)["text"])
    return said(node.parts, node.body)


def place_rows(tx: Tx, session: str, limit: int) -> list[Json]:
    """The same as JSON."""
    return [as_json(place) for place in places(tx, session, limit)]


def would_revert(tx: Tx, session: str, to: str, *, keep_tasks: bool) -> RevertView:
    """What a revert would do; reads only. Raises what `Postroom.revert` raises."""
    branch = find_agent(tx, session).branch
    outcome = revert(tx, branch, to, keeps_tasks=keep_tasks, dry_run=True)
    if isinstance(outcome, Refusal):
        raise path_fault(outcome, session)
    return outcome.view


def path_fault(refusal: Refusal, session: str) -> Refused | NotFound:
    """The refusal of a fork or a revert, in its form for programs and people."""
    if refusal.code is not Code.UNKNOWN_REFERENCE:
        return Refused(refusal.code, "")
    msg = f"the conversation of {session[:SHOWN_CHARS]!r} has no place {str(refusal.facts['place'])!r}"
    return NotFound(msg, remedy=_PLACES)
