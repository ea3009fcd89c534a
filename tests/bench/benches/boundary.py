"""Boundary: what a round costs beside the model, and what grows with history, mailbox and neighbours.

A round is committed by the very transaction functions that turns use; the time is taken inside the
transaction, so that it shows the work and not the disk. The request of a long branch is built from a
store that has just been opened, and a trace of every statement shows what two rounds read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benches.history import add_history, add_mail
from benches.report import Figure, median
from benches.trace import Trace
from benches.world import FACTS, Worker, directory, make_root, make_workers, start_turns
from postroom.clock import SystemClock
from postroom.domain.turn import Turn
from postroom.ids import SystemIds
from postroom.llm.port import CallItem, ModelAnswer, ModelRequest
from postroom.runtime.transcript import recall
from postroom.service.office import Office
from postroom.service.turns import Step, commit_answer, end_call
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.tools.base import ToolResult

BENCH = "boundary (between two model requests)"
LONG = 10_000
MOST_GROWTH = 1.3
"""Times the cost in the smallest store: an index of a larger table is a page deeper."""
MOST_BUILD_MS = 50.0
BUILDS = 25
ANSWER = ModelAnswer(
    text="I look it up.",
    calls=(CallItem(call_id="", tool="look", arguments='{"what": "weather"}', provider_call_id="call_0"),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How large the world around one round is."""

    name: str
    nodes: int = 10
    mails: int = 0
    agents: int = 2


SMALL = Shape(name="small")
SHAPES = (
    Shape(name=f"a history of {LONG:,} nodes", nodes=LONG),
    Shape(name=f"{LONG:,} queued mails in the mailbox", mails=LONG),
    Shape(name=f"{LONG:,} agents in the tree", agents=LONG),
)


async def run(folder: Path, rounds: int) -> list[Figure]:
    """Every shape beside the small one; what a round reads; the request of a long branch."""
    small = await Place.open(folder / "small", SMALL)
    figures = [*await _absolute(small, rounds), *await reads(small)]
    for number, shape in enumerate(SHAPES):
        large = await Place.open(folder / str(number), shape)
        if shape.nodes == LONG:
            figures += await _build(large)
        figures += await _growth(small, large, shape.name, rounds)
        large.store.close()
    small.store.close()
    return figures


class Place:
    """One store with one agent in the middle of a turn."""

    def __init__(self, store: SqliteStore, turn: Turn, worker: Worker) -> None:
        self.store = store
        self.office = Office(store, directory, SystemClock())
        self.worker = worker
        self._turn = turn

    @classmethod
    async def open(cls, folder: Path, shape: Shape) -> "Place":
        """Make the world and start the turn."""
        store = SqliteStore.open(folder, SystemClock(), SystemIds())
        worker = await store.write(_settle, shape)
        assert worker.turn is not None
        return cls(store, worker.turn, worker)

    async def round_s(self) -> tuple[float, float]:
        """Seconds of committing an answer with one call, and of its result with the boundary after it."""
        step, answer_s = await self.store.write(_answer, self._turn)
        boundary_s = await self.store.write(_result, step)
        self._turn = step.turn
        return answer_s, boundary_s

    async def reopen(self) -> None:
        """Close the store and open it again: nothing of it is in memory."""
        self.store.close()
        self.store = SqliteStore.open(self.store.folder, SystemClock(), SystemIds())
        self.office = Office(self.store, directory, SystemClock())


def _settle(tx: Tx, shape: Shape) -> Worker:
    root = make_root(tx)
    first, second, *_ = make_workers(tx, root, shape.agents)
    start_turns(tx, root, (first,))
    add_history(tx, root, second, first, shape.nodes)
    add_mail(tx, root, second, first, shape.mails)
    return first


def _answer(tx: Tx, turn: Turn) -> tuple[Step, float]:
    began_s = perf_counter()
    step = commit_answer(tx, turn, ANSWER, FACTS)
    return step, perf_counter() - began_s


def _result(tx: Tx, step: Step) -> float:
    began_s = perf_counter()
    end_call(tx, step.turn, step.calls[0], ToolResult(text="It rains."), FACTS)
    return perf_counter() - began_s


async def _growth(small: Place, large: Place, name: str, rounds: int) -> Iterator[Figure]:
    """The two in turn, so that a busy machine slows both."""
    pairs = [(await small.round_s(), await large.round_s()) for _ in range(rounds)]
    return iter(
        Figure(
            bench=BENCH, name=f"{what} with {name}", most=MOST_GROWTH, unit="times",
            value=median([b[i] for _, b in pairs]) / median([a[i] for a, _ in pairs]),
        )
        for i, what in enumerate(("committing an answer", "result and boundary"))
    )  # fmt: skip


async def _absolute(small: Place, rounds: int) -> Iterator[Figure]:
    times = [await small.round_s() for _ in range(rounds)]
    return iter(
        Figure(bench=BENCH, name=f"{what}, small", value=median([t[i] for t in times]) * 1e6, unit="us")
        for i, what in enumerate(("committing an answer", "result and boundary"))
    )


async def reads(place: Place) -> Iterator[Figure]:
    """One round through the office, with every statement heard."""
    trace = Trace(place.store)
    await place.round_s()
    trace.stop()
    values = (
        ("statements of one round", len(trace.statements), None),
        ("of them reads", trace.n_reads, None),
        ("reads of texts that the turn has in memory", len(trace.of_conversation()), 0),
        ("reads that one transaction repeats", len(trace.repeated()), 0),
    )
    return iter(Figure(bench=BENCH, name=n, value=v, unit="", most=most) for n, v, most in values)


async def _build(place: Place) -> Iterator[Figure]:
    """The fastest counts: the work is always the same, and a busy machine only adds to it."""
    times_ms = [await _build_once(place) * 1000 for _ in range(BUILDS)]
    name = f"request of a branch of {LONG:,} nodes, built from a store just opened"
    return iter(
        (
            Figure(bench=BENCH, name=name, value=min(times_ms), unit="ms", most=MOST_BUILD_MS),
            Figure(
                bench=BENCH, name="the same, the middle one of all builds", value=median(times_ms), unit="ms"
            ),
        )
    )


async def _build_once(place: Place) -> float:
    """Seconds for the request of a turn that finds nothing of its branch in memory."""
    await place.reopen()
    head = await place.store.read(Tx.head_of, place.worker.branch)
    assert head is not None
    began_s = perf_counter()
    transcript = await recall(place.office, head)
    request = ModelRequest(
        agent="worker", branch="bench", instructions="You work.", items=tuple(transcript.items)
    )
    took_s = perf_counter() - began_s
    assert len(request.items) >= LONG
    return took_s
