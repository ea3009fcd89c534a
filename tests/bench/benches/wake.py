"""Wake: from a tool's send to the first moment of the idle recipient's model request.

The whole way is real: a scripted model calls `send_message`, the room accepts it, starts the idle
recipient's turn and asks its model. Beside the send, in the same round, the model calls `mark`; it is
called first and takes the time.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter

from benches.bare import BareCommits
from benches.report import Figure, percentile
from benches.world import BODY_512, Person, Worker, make_root, make_workers, team_of
from postroom.app import Postroom
from postroom.domain.plain import Json
from postroom.llm.port import CallItem, ModelAnswer, ModelRequest, OnText, ResultItem, ToolSpec
from postroom.store.tx import Tx
from postroom.tools.base import Caller, Tool, ToolResult

BENCH = "wake (send_message to the first step of the idle recipient's model request)"
MOST_P50 = 5.0
MOST_P99 = 15.0
WARM_UP = 20
PLANNER, WORKER = "planner", "worker"


class Watch:
    """One send at a time: when it began, and when the recipient's model was asked."""

    def __init__(self) -> None:
        self.handle = ""
        self._sent_s = 0.0
        self._asked_s = 0.0
        self._asked = asyncio.Event()

    def next(self, handle: str) -> None:
        """The next send goes to this agent."""
        self.handle = handle
        self._asked.clear()

    async def mark(self, _caller: Caller, _given: Mapping[str, Json]) -> ToolResult:
        """Take the time, and end only after the recipient's model was asked: nothing else is written."""
        self._sent_s = perf_counter()
        await self._asked.wait()
        return ToolResult(text="marked")

    def asked(self) -> None:
        """The recipient's model request has started."""
        self._asked_s = perf_counter()
        self._asked.set()

    @property
    def took_s(self) -> float:
        """Seconds from the send to the request."""
        return self._asked_s - self._sent_s


class Planner:
    """Calls `mark` and `send_message` in one round, then says that it is done."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The round that sends, or the one after it."""
        if isinstance(request.items[-1], ResultItem):
            return ModelAnswer(text="sent")
        arguments = json.dumps({"to": self._watch.handle, "body": BODY_512})
        mark = CallItem(call_id="", tool="mark", arguments="{}")
        send = CallItem(call_id="", tool="send_message", arguments=arguments)
        return ModelAnswer(calls=(mark, send))


class Reader:
    """Stops the clock and answers at once."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The answer to the mail."""
        self._watch.asked()
        return ModelAnswer(text="read")


async def run(folder: Path, samples: int) -> list[Figure]:
    """Wake agents that never ran, then the same ones after they have finished a turn."""
    watch = Watch()
    mark = Tool(spec=ToolSpec(name="mark", description="Take the time.", parameters={}), run=watch.mark)
    models = {f"scripted:{PLANNER}": Planner(watch), f"scripted:{WORKER}": Reader(watch)}
    team = team_of(folder / "team", {PLANNER: ("mark",), WORKER: ()})
    bare = await BareCommits.open(folder / "bare")
    async with Postroom.open(folder / "room", team=team, models=models, tools=(mark,)) as room:
        root, workers = await room.store.write(_agents, str(team.path), samples + WARM_UP)
        wakes = Wakes(room, watch, root, bare)
        await wakes.measure(workers[samples:])
        first = await wakes.measure(workers[:samples])
        second = await wakes.measure(workers[:samples])
    bare.close()
    return [*_figures("that never ran", *first), *_figures("that has finished a turn", *second)]


def _agents(tx: Tx, team: str, count: int) -> tuple[Person, list[Worker]]:
    root = make_root(tx, team, PLANNER)
    return root, make_workers(tx, root, count, team=team, profile=WORKER)


class Wakes:
    """Sends in one room, with a bare commit before each."""

    def __init__(self, room: Postroom, watch: Watch, root: Person, bare: BareCommits) -> None:
        self._room = room
        self._watch = watch
        self._root = root
        self._bare = bare

    async def measure(self, workers: Sequence[Worker]) -> tuple[list[float], list[float]]:
        """Seconds of each bare commit, and seconds of each wake."""
        commits: list[float] = []
        wakes: list[float] = []
        for worker in workers:
            await self._room.quiesce()
            commits.append(self._bare.next_s())
            self._watch.next(worker.handle)
            await self._room.prompt("Write to the next one.", session=self._root.session_id)
            await self._room.quiesce()
            wakes.append(self._watch.took_s)
        return commits, wakes


def _figures(whom: str, commits: Sequence[float], wakes: Sequence[float]) -> Iterator[Figure]:
    commit_s = percentile(commits, 0.5)
    for share, most in ((0.5, MOST_P50), (0.99, MOST_P99)):
        value = percentile(wakes, share) / commit_s
        name = f"p{share * 100:.0f} of waking an agent {whom}"
        yield Figure(bench=BENCH, name=name, value=value, unit="commits", most=most)
        yield Figure(bench=BENCH, name=name, value=percentile(wakes, share) * 1000, unit="ms")
        name = f"p{share * 100:.0f} of one bare commit beside it"
        yield Figure(bench=BENCH, name=name, value=percentile(commits, share) * 1000, unit="ms")
