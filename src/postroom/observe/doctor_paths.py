"""Every branch's conversation, node by node: what a strict provider and a reader of it rely on.

Each answer with calls is followed by their results, and nothing else stands between them (G6); no
message stands in one conversation twice (I2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from postroom.domain.message import State
from postroom.domain.node import Role
from postroom.domain.turn import LIVE_STATES, CallState
from postroom.observe.doctor_read import Record
from postroom.observe.doctor_report import Diagnosis, diagnosis
from postroom.observe.doctor_treat import close_round
from postroom.rules.fold import Tables, rows
from postroom.store.tx_doctor import NodeShape

_UNREAD_ENDS = frozenset({State.DISCARDED, State.UNDELIVERED})


@dataclass(slots=True, kw_only=True)
class Paths:
    """What the walk along all branches gave."""

    nodes: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """Branch -> the keys of the nodes from its root to its head."""
    left: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """Branch -> the nodes of the paths that reverts of it have left."""
    doubled: set[int] = field(default_factory=set[int])
    """Messages that stand in one conversation twice."""
    diagnoses: list[Diagnosis] = field(default_factory=list[Diagnosis])

    def holds(self, row: rows.Delivery) -> bool:
        """Whether a delivery's node stands where its state says: read in a part left, only there."""
        if row.reverted:
            return row.node not in self.nodes.get(row.branch, ()) and row.node in self.left.get(
                row.branch, ()
            )
        on_path = row.node in self.nodes.get(row.branch, ())
        return on_path or (row.state in _UNREAD_ENDS and row.node in self.left.get(row.branch, ()))


def walk(truth: Tables, record: Record) -> Paths:
    """Walk every branch once."""
    paths, calls = Paths(), _calls_by_round(truth)
    for key, branch in truth.branches.items():
        path = _path(branch.head, record.nodes, paths, key)
        paths.nodes[key] = frozenset(path)
        if branch.sealed_from is not None:
            paths.left[branch.sealed_from] = paths.left.get(branch.sealed_from, frozenset()).union(path)
        shapes = [(k, record.nodes[k]) for k in path]
        paths.diagnoses += _pairing(truth, shapes, calls)
        paths.diagnoses += _twice(key, shapes, paths)
    return paths


def _path(head: int | None, nodes: Mapping[int, NodeShape], paths: Paths, branch: int) -> list[int]:
    """Oldest first; a predecessor that is missing or not older ends the walk."""
    path: list[int] = []
    key = head
    while key is not None:
        shape = nodes.get(key)
        if shape is None or (path and key >= path[-1]):
            expected = f"in the conversation of branch {branch}"
            paths.diagnoses.append(diagnosis("node_missing", "node", key, expected, "no such older node"))
            break
        path.append(key)
        key = shape.predecessor
    path.reverse()
    return path


def _twice(branch: int, shapes: Sequence[tuple[int, NodeShape]], paths: Paths) -> Iterator[Diagnosis]:
    seen: dict[int, int] = {}
    for key, message in ((key, message) for key, shape in shapes for message in shape.messages):
        if (first := seen.get(message)) is not None:
            paths.doubled.add(message)
            expected = f"once in branch {branch}"
            yield diagnosis("message_doubled", "message", message, expected, f"nodes {first} and {key}")
        seen.setdefault(message, key)


def _pairing(
    truth: Tables, shapes: Sequence[tuple[int, NodeShape]], calls: Mapping[tuple[int, int], list[rows.Call]]
) -> Iterator[Diagnosis]:
    """Answers with calls, and the results directly behind them."""
    asking: tuple[int, NodeShape] | None = None
    for key, shape in shapes:
        answers = asking is not None and _is_result_of(shape, asking[1])
        if asking is not None and not answers:
            yield diagnosis("unpaired_calls", "node", asking[0], "its results directly behind", f"node {key}")
        if shape.role == Role.TOOL and not answers:
            yield diagnosis(
                "unpaired_result", "node", key, "the answer with its calls before", "another node"
            )
        if answers and asking is not None:
            yield from _round(asking, calls.get((shape.turn, shape.round), []))
        asking = (key, shape) if shape.calls else None
    if asking is not None:
        yield from _open_end(truth, *asking)


def _is_result_of(shape: NodeShape, asking: NodeShape) -> bool:
    return shape.role == Role.TOOL and (shape.turn, shape.round) == (asking.turn, asking.round)


def _round(asking: tuple[int, NodeShape], calls: Sequence[rows.Call]) -> Iterator[Diagnosis]:
    """A closed round: as many calls as its answer made, each in its place and ended."""
    key, shape = asking
    places = sorted(call.position for call in calls)
    if places != list(range(shape.calls)):
        yield diagnosis("calls_missing", "node", key, f"{shape.calls} calls", f"places {places}")
    if any(call.state == CallState.OPEN for call in calls):
        yield diagnosis("open_call", "node", key, "all calls of a closed round ended", "an open one")


def _open_end(truth: Tables, key: int, shape: NodeShape) -> Iterator[Diagnosis]:
    """An answer with calls at the head: its turn is still at work on them, or nobody is."""
    turn = truth.turns.get(shape.turn)
    if turn is not None and turn.state in LIVE_STATES:
        return
    mend = close_round(shape.turn) if turn is not None else None
    found = "the end of a turn that is over"
    yield diagnosis("unpaired_calls", "node", key, "its results directly behind", found, mend)


def _calls_by_round(truth: Tables) -> dict[tuple[int, int], list[rows.Call]]:
    calls: dict[tuple[int, int], list[rows.Call]] = {}
    for call in truth.calls.values():
        calls.setdefault((call.turn, call.round), []).append(call)
    return calls
