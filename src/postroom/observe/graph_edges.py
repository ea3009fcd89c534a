"""What lies between two nodes of a graph beside their order: returns, merges, messages, agents elsewhere."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postroom.observe import graph_marks as marks
from postroom.observe.graph_calls import FoldedCalls, other_agent
from postroom.observe.graph_layer import ROOT, Item, Layer
from postroom.observe.graph_views import GraphEdge, GraphElsewhere
from postroom.store.tx_graph import GraphBranchRow, GraphMailRow, MadeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What is drawn, as edges need it."""

    session: int
    rows: Sequence[GraphBranchRow]
    layer: Layer
    shown: Mapping[int, int]
    """By which key an item is drawn."""
    number: Mapping[int, int]
    """The place of a branch among the session's."""

    def node(self, item: int | None) -> int | None:
        """The node that stands for an item, where one is drawn."""
        return None if item is None else ROOT if item == ROOT else self.shown.get(item)

    def head(self, branch: int) -> int | None:
        """The last node of a branch's conversation."""
        number = self.number.get(branch)
        return None if number is None else self.node(self.layer.heads[number])


def edges_of(
    drawn: Drawn, made: Sequence[MadeRow], calls: Mapping[int, FoldedCalls], mail: Iterable[GraphMailRow]
) -> tuple[GraphEdge, ...]:
    """All of them, each once."""
    found = (*_returns(drawn, made), *_merges(drawn, made), *_spawns(drawn, calls), *_mail(drawn, mail))
    return tuple({edge.id: edge for edge in found}.values())


def _returns(drawn: Drawn, made: Sequence[MadeRow]) -> Iterator[GraphEdge]:
    """From the end of a branch that a call made to the answer with the call, whatever became of it."""
    for row in made:
        source, target = drawn.head(row.branch), drawn.node(drawn.layer.answers.get((row.turn, row.round)))
        if row.maker_session == drawn.session and source and target and source != target:
            yield GraphEdge(
                id=f"attach-{row.attach}" if row.attach else row.task_id, kind="return", source=source,
                target=target, branch=drawn.number[row.branch], status=marks.of_task(row.state),
                message_id="", call=0, elsewhere=None,
            )  # fmt: skip


def _merges(drawn: Drawn, made: Sequence[MadeRow]) -> Iterator[GraphEdge]:
    """From the head that was merged to the node with which it came back."""
    heads = {row.key: row.merged_head for row in drawn.rows}
    came_back = {item.message: item for item in drawn.layer.items.values() if item.shape == "merge"}
    for row in made:
        head, item = heads.get(row.branch), came_back.get(row.result)
        source = drawn.node(drawn.layer.at.get(head)) if head is not None else None
        target = drawn.node(item.key) if item is not None else None
        if source and target and source != target:
            yield GraphEdge(
                id=f"merge-{row.task_id}", kind="merge", source=source, target=target,
                branch=drawn.number[row.branch], status=marks.DONE, message_id="", call=0, elsewhere=None,
            )  # fmt: skip


def _spawns(drawn: Drawn, calls: Mapping[int, FoldedCalls]) -> Iterator[GraphEdge]:
    """Agents that were made in other sessions."""
    for item, folded in calls.items():
        source = drawn.node(item)
        for row in folded.rows:
            if source and row.branch is not None and row.session not in (None, drawn.session):
                yield GraphEdge(
                    id=f"spawn-{row.key}", kind="spawn", source=source, target=None,
                    branch=drawn.layer.items[item].branch, status=marks.of_call(row), message_id="",
                    call=row.key, elsewhere=other_agent(row),
                )  # fmt: skip


def _mail(drawn: Drawn, mail: Iterable[GraphMailRow]) -> Iterator[GraphEdge]:
    for row in mail:
        source, target = _sent_from(drawn, row), _read_at(drawn, row)
        is_here = row.recipient in drawn.number and row.sender in drawn.number
        if (source is None and target is None) or (is_here and (source is None or target is None)):
            continue
        ends = (row.recipient, row.sender or 0)
        yield GraphEdge(
            id=f"mail-{row.message}-{row.recipient}", kind="replied" if row.is_answer else "sent",
            source=source, target=target, status=marks.of_mail(row.state), message_id=row.message_id,
            branch=next(drawn.number[key] for key in ends if key in drawn.number), call=0,
            elsewhere=None if is_here else GraphElsewhere(
                session_id=row.session_id, branch_id=row.branch_id, label=row.label,
            ),
        )  # fmt: skip


def _sent_from(drawn: Drawn, row: GraphMailRow) -> int | None:
    """The answer that sent it; of what went back by itself, the last one of the turn."""
    if row.sender not in drawn.number or row.turn is None:
        return None
    answers, ends = drawn.layer.answers, drawn.layer.ends
    return drawn.node(answers.get((row.turn, row.round)) if row.round else ends.get(row.turn))


def _read_at(drawn: Drawn, row: GraphMailRow) -> int | None:
    """The node at which it was read, else the end of its recipient."""
    if row.recipient not in drawn.number:
        return None
    return drawn.node(drawn.layer.at.get(row.node)) if row.node is not None else drawn.head(row.recipient)


def turns_of(items: Iterable[Item]) -> list[int]:
    """The turns that go through some items."""
    return sorted({turn for item in items for turn in item.turns})
