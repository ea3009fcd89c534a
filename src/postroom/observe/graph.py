"""A session as a graph: its conversation layer, or the skeleton of a long one, with what is between branches.

The order of nodes is read without texts and for the whole session; everything else only for what is drawn.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from postroom.domain.node import Provenance, summary_of
from postroom.domain.session import Session
from postroom.observe import graph_marks as marks
from postroom.observe.find import find_session
from postroom.observe.graph_calls import NO_CALLS, FoldedCalls, folded_calls, opened_calls
from postroom.observe.graph_edges import Drawn, edges_of, turns_of
from postroom.observe.graph_layer import Item, Layer, layer_of
from postroom.observe.graph_skeleton import Stretch, skeleton_of
from postroom.observe.graph_views import GraphBranch, GraphElsewhere, GraphNode, GraphView
from postroom.rules.text import brief
from postroom.store.tx import Tx
from postroom.store.tx_graph import GraphBranchRow, GraphStep, GraphTextRow, GraphTurnRow, MadeRow

COLOURS: Final = 8
PREVIEW_CHARS: Final = 80
_VIEW: Final = TypeAdapter(GraphView)
_NO_TEXT: Final = GraphTextRow(0, "", 0, "", "", "", "", None)


class Asked(NamedTuple):
    """What is to be drawn: a branch in the foreground, stretches to open, nodes whose calls are drawn."""

    branch_id: str = ""
    """Empty: the one that the address of the session means."""
    opened: tuple[int, ...] = ()
    unfolded: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """What a node needs to be drawn, for all that are."""

    drawn: Drawn
    texts: Mapping[int, GraphTextRow]
    turns: Mapping[int, GraphTurnRow]
    calls: Mapping[int, FoldedCalls]
    tokens: Mapping[int, int]
    covered: Collection[int]
    unfolded: Collection[int]


def graph(tx: Tx, session: str, asked: Asked = Asked()) -> GraphView:  # noqa: B008 -- a frozen value
    """The graph of a session. Raises `NotFound`."""
    found = find_session(tx, session)
    rows, made = tx.graph_branches(found.key), tx.graph_made(found.key)
    steps = {step.key: step for step in tx.graph_steps(found.key)}
    layer = layer_of(rows, steps, _merging(rows, made))
    looked_at = _looked_at(rows, asked.branch_id)
    skeleton = skeleton_of(layer, looked_at, asked.opened)
    drawn = Drawn(
        session=found.key, rows=rows, layer=layer, shown=skeleton.shown,
        number={row.key: n for n, row in enumerate(rows)},
    )  # fmt: skip
    items = [part for part in skeleton.parts if isinstance(part, Item)]
    sheet = _sheet(tx, drawn, items, asked.unfolded, _covered(tx, layer, steps, rows[looked_at].head))
    mail = (*tx.graph_read(_read_nodes(steps, layer, items)), *tx.graph_sent(turns_of(items)))
    return GraphView(
        session_id=found.public_id, title=found.title, branch=looked_at,
        head=drawn.node(layer.heads[looked_at]) or 0,
        nodes=tuple(_node(sheet, part) for part in skeleton.parts),
        branches=_branches(drawn, made), edges=edges_of(drawn, made, sheet.calls, mail),
        items=len(layer.items), hidden_branches=skeleton.n_hidden, forked_from=_origin(tx, found),
    )  # fmt: skip


def graph_json(tx: Tx, session: str, asked: Asked) -> bytes:
    """The same as JSON, encoded in the thread that has read it. Raises `NotFound`."""
    return _VIEW.dump_json(graph(tx, session, asked))


def _merging(rows: Sequence[GraphBranchRow], made: Sequence[MadeRow]) -> frozenset[int]:
    """The messages with which branches came back that were merged then."""
    merged = {row.key for row in rows if row.merged_head is not None}
    return frozenset(row.result for row in made if row.branch in merged and row.result)


def _looked_at(rows: Sequence[GraphBranchRow], branch_id: str) -> int:
    """The branch in the foreground; one that is not there any more gives way to that of the session."""
    active = next((n for n, row in enumerate(rows) if row.is_active), 0)
    return next((n for n, row in enumerate(rows) if row.public_id == branch_id), active)


def _covered(tx: Tx, layer: Layer, steps: Mapping[int, GraphStep], head: int | None) -> frozenset[int]:
    """The items that the next request of a branch holds, not only its newest summary."""
    summary = tx.newest_summary(head)
    facts = None if summary is None else summary_of(summary.parts)
    covered = set[int](facts.keeps) if facts else set[int]()
    while head is not None and (facts is None or head > facts.through) and head in steps:
        covered.add(head)
        head = steps[head].predecessor
    return frozenset(layer.at[key] for key in covered if key in layer.at)


def _read_nodes(steps: Mapping[int, GraphStep], layer: Layer, items: Sequence[Item]) -> list[int]:
    """The nodes of messages that are drawn, on their own or merged into another one."""
    drawn = {item.key for item in items}
    return [key for key, step in steps.items() if step.role == "user" and layer.at.get(key) in drawn]


def _sheet(
    tx: Tx, drawn: Drawn, items: Sequence[Item], unfolded: Collection[int], covered: Collection[int]
) -> _Sheet:
    turns, tokens, answers = turns_of(items), dict[int, int](), drawn.layer.at
    for row in tx.graph_tokens(turns):
        item = answers.get(row.node or 0, 0)
        tokens[item] = tokens.get(item, 0) + (row.input_tokens or 0) + (row.output_tokens or 0)
    return _Sheet(
        drawn=drawn, texts={row.key: row for row in tx.graph_texts(_texts_of(items))},
        turns={row.key: row for row in tx.graph_turns(turns)},
        calls=folded_calls(tx.graph_calls(turns), drawn.layer.answers), tokens=tokens, covered=covered,
        unfolded=unfolded,
    )  # fmt: skip


def _texts_of(items: Sequence[Item]) -> set[int]:
    """The nodes whose texts are shown: a node's own, and of a run what was said last."""
    return {key for item in items for key in (item.key, item.said)}


def _node(sheet: _Sheet, part: Item | Stretch) -> GraphNode:
    if isinstance(part, Stretch):
        return _stretch(sheet, part)
    own, said = sheet.texts.get(part.key, _NO_TEXT), sheet.texts.get(part.said, _NO_TEXT)
    calls, turn = sheet.calls.get(part.key, NO_CALLS), sheet.turns.get(part.turn)
    numbers = sheet.drawn.number
    return GraphNode(
        id=part.key, shape=part.shape, branch=part.branch, link=part.link,
        predecessor=sheet.drawn.node(part.follows) or 0, status=_status(sheet, part),
        provenance=own.provenance, agent=_speaker(sheet, part, own, turn),
        preview=brief(said.text or own.text, PREVIEW_CHARS), turn_id=turn.public_id if turn else "",
        round=part.round, message_id=own.message_id, tokens=sheet.tokens.get(part.key, 0),
        created_us=own.created_us, calls=calls.calls, spawns=calls.spawns, failed=calls.failed,
        replies=part.replies, covered=part.key in sheet.covered, count=1,
        opened=opened_calls(calls.rows, numbers, sheet.drawn.session) if part.key in sheet.unfolded else (),
    )  # fmt: skip


def _stretch(sheet: _Sheet, part: Stretch) -> GraphNode:
    first = part.items[0]
    return GraphNode(
        id=part.key, shape="stretch", branch=first.branch, link=first.link,
        predecessor=sheet.drawn.node(first.follows) or 0, status=marks.DONE, provenance="", agent="",
        preview="", turn_id="", round=0, message_id="", tokens=0, created_us=0, calls=0, spawns=0, failed=0,
        replies=0, covered=any(item.key in sheet.covered for item in part.items), count=len(part.items),
        opened=(),
    )  # fmt: skip


def _status(sheet: _Sheet, item: Item) -> str:
    """That of the turns that have come no further than this node."""
    ends = sheet.drawn.layer.ends
    return marks.of_turns(
        sheet.turns[turn] for turn in item.turns if ends[turn] == item.key and turn in sheet.turns
    )


def _speaker(sheet: _Sheet, item: Item, text: GraphTextRow, turn: GraphTurnRow | None) -> str:
    """Who said it: the agent of the turn, or whoever wrote the message."""
    if item.shape in ("llm", "summary"):
        return _label(sheet.drawn, turn.branch if turn else None) or sheet.drawn.rows[item.branch].label
    if text.provenance == Provenance.AGENT:
        return _label(sheet.drawn, text.sender_branch) or text.sender
    return text.provenance


def _label(drawn: Drawn, branch: int | None) -> str:
    number = None if branch is None else drawn.number.get(branch)
    return "" if number is None else drawn.rows[number].label


def _branches(drawn: Drawn, made: Sequence[MadeRow]) -> tuple[GraphBranch, ...]:
    makers = {row.branch: row for row in made if row.maker_session != drawn.session}
    return tuple(_branch(drawn, n, makers.get(row.key)) for n, row in enumerate(drawn.rows))


def _branch(drawn: Drawn, number: int, maker: MadeRow | None) -> GraphBranch:
    row = drawn.rows[number]
    above = row.parent if row.sealed_from is None else row.sealed_from
    items = drawn.layer.branches[number]
    return GraphBranch(
        id=row.public_id, label=row.label, address=row.address, name=row.name,
        parent=None if above is None else drawn.number.get(above),
        head=drawn.node(drawn.layer.heads[number]) or 0,
        drawn=bool(items) and items[-1].key in drawn.shown,
        state=row.turn_state or row.last_turn_state or "idle", active=bool(row.is_active),
        internal=bool(row.is_internal), archived=bool(row.is_archived), sealed=bool(row.is_sealed),
        merged=row.merged_head is not None and row.merged_head == row.head, colour=number % COLOURS,
        elsewhere=None if maker is None else GraphElsewhere(
            session_id=maker.maker_session_id, branch_id=maker.maker_id, label=maker.maker,
        ),
    )  # fmt: skip


def _origin(tx: Tx, session: Session) -> GraphElsewhere | None:
    found = tx.graph_origin(session.key)
    return None if found is None else GraphElsewhere(session_id=found[0], branch_id="", label="")
