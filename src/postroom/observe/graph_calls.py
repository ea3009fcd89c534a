"""The calls of the turns that a graph draws: how many are folded into each node, or which."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from postroom.domain.plain import Json
from postroom.observe import graph_marks as marks
from postroom.observe.graph_views import GraphCall, GraphElsewhere
from postroom.rules.text import brief
from postroom.store.tx_graph import GraphCallRow

CALLS_OPENED: Final = 60
"""How many calls of one node are drawn when it is opened; the rest is in its details."""
PREVIEW_CHARS: Final = 80


@dataclass(slots=True, kw_only=True)
class FoldedCalls:
    """The calls of one node."""

    calls: int = 0
    spawns: int = 0
    failed: int = 0
    rows: list[GraphCallRow] = field(default_factory=list[GraphCallRow])


NO_CALLS: Final = FoldedCalls()


def folded_calls(
    rows: Sequence[GraphCallRow], answers: Mapping[tuple[int, int], int]
) -> dict[int, FoldedCalls]:
    """The calls of each item; `answers` says to which one an answer belongs."""
    found = dict[int, FoldedCalls]()
    for row in rows:
        item = answers.get((row.turn, row.round))
        if item is None:
            continue
        folded = found.setdefault(item, FoldedCalls())
        folded.calls += 1
        folded.spawns += row.branch is not None
        folded.failed += marks.of_call(row) == marks.ERROR
        folded.rows.append(row)
    return found


def opened_calls(
    rows: Sequence[GraphCallRow], branches: Collection[int], session: int
) -> tuple[GraphCall, ...]:
    """Calls as they are drawn one by one; `branches` are the keys of the session's own, in their order."""
    numbers = {key: number for number, key in enumerate(branches)}
    return tuple(_opened(row, numbers, session) for row in rows[:CALLS_OPENED])


def _opened(row: GraphCallRow, numbers: Mapping[int, int], session: int) -> GraphCall:
    return GraphCall(
        id=row.key, shape="code" if row.branch is None else "spawn", tool=row.tool,
        status=marks.of_call(row), preview=brief(_said(row.arguments), PREVIEW_CHARS),
        branch=numbers.get(row.branch) if row.branch is not None and row.session == session else None,
        elsewhere=other_agent(row) if row.session != session else None,
    )  # fmt: skip


def other_agent(row: GraphCallRow) -> GraphElsewhere | None:
    """The agent that a call made, unless its session has been deleted."""
    if row.branch_id is None or row.session_id is None:
        return None
    return GraphElsewhere(session_id=row.session_id, branch_id=row.branch_id, label=row.label or "")


def _said(arguments: str) -> str:
    """What a call was given, without the marks of JSON where it is short enough to be read."""
    try:
        found: Json = json.loads(arguments)
    except ValueError:
        return arguments
    values = found.values() if isinstance(found, dict) else (found,)
    return " ".join(value if isinstance(value, str) else json.dumps(value) for value in values)
