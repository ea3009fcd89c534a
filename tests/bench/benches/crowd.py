"""A crowd: many live children write to one busy agent beside many finished sessions (O-10).

Everything is real but the models. A heart beats on the event loop all the while; how late its worst beat
comes is how long the loop stood still.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from benches.history import NODES_OF_TASK, add_history
from benches.report import Figure
from benches.world import WIDE, WIDE_POLICY, make_root, make_workers, start_turns, team_of
from postroom.app import Postroom
from postroom.domain.event import EventKind
from postroom.domain.turn import TurnState
from postroom.llm.port import CallItem, ModelAnswer, ModelRequest, OnText
from postroom.profiles.team import Team
from postroom.rules.permissions import Effect, Rule
from postroom.store.tx import Tx

ROOT, CHILD = "root", "child"
LETTERS = 5
TASKS_OF_FINISHED = 6
"""Tasks that leave fifty-odd events in the log of a finished session."""
BEAT_S = 0.005
MOST_RATIO = 2.5
MOST_LAG_MS = 250.0
ALL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many children write at once, and how many sessions have finished before."""

    children: int
    finished: int

    @property
    def half(self) -> "Size":
        """The same crowd at half its size."""
        return Size(children=self.children // 2, finished=self.finished // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came of one run."""

    took_s: float
    list_s: float
    listed: int
    lag_s: float
    accepted: int
    consumed: int
    refused: int


class Moment:
    """A point that many reach, and that is passed once all of them have."""

    def __init__(self, count: int) -> None:
        self._left = count
        self.passed = asyncio.Event()

    def reach(self) -> None:
        """One more is here."""
        self._left -= 1
        if self._left == 0:
            self.passed.set()


class Heart:
    """Beats on the loop, and remembers its worst delay."""

    def __init__(self) -> None:
        self.worst_s = 0.0
        self._loop = asyncio.get_running_loop()
        self._due_s = self._loop.time() + BEAT_S
        self._handle = self._loop.call_at(self._due_s, self._beat)

    def _beat(self) -> None:
        now_s = self._loop.time()
        self.worst_s = max(self.worst_s, now_s - self._due_s)
        self._due_s = now_s + BEAT_S
        self._handle = self._loop.call_at(self._due_s, self._beat)

    def stop(self) -> None:
        """No more beats."""
        self._handle.cancel()


class Root:
    """Makes all children in one round, is busy until they have written, then reads."""

    def __init__(self, children: int, written: Moment) -> None:
        self._children = children
        self._written = written

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The calls, or the answer once all have written."""
        if len(request.items) == 1:
            given = {"description": "a writer", "prompt": "write", "agent_type": CHILD, "background": True}
            call = CallItem(call_id="", tool="delegate_subagent", arguments=json.dumps(given))
            return ModelAnswer(calls=(call,) * self._children)
        await self._written.passed.wait()
        return ModelAnswer(text="noted")


class Writer:
    """Waits for all the others, writes its letters in one round, ends."""

    def __init__(self, here: Moment, written: Moment) -> None:
        self.to = ""
        self._here = here
        self._written = written

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The letters, or the end."""
        if len(request.items) > 1:
            self._written.reach()
            return ModelAnswer(text="sent")
        self._here.reach()
        await self._here.passed.wait()
        letter = json.dumps({"to": self.to, "body": "a letter from the crowd"})
        return ModelAnswer(calls=(CallItem(call_id="", tool="send_message", arguments=letter),) * LETTERS)


def crowd_team(folder: Path) -> Team:
    """A root that may make children, and limits so wide that they never refuse."""
    team = team_of(folder, {ROOT: (), CHILD: ()})
    spawns = Rule(action="delegate", effect=Effect.ALLOW, pattern="*")
    root = team.profiles[ROOT]
    profiles = {**team.profiles, ROOT: replace(root, permissions=(*root.permissions, spawns))}
    policy = replace(WIDE_POLICY, concurrency=WIDE, waiting_max=WIDE)
    return replace(team, profiles=profiles, policy=policy)


async def gather(folder: Path, size: Size) -> Seen:
    """One crowd, from the moment in which all children begin to write until all is read."""
    here, written = Moment(size.children), Moment(size.children)
    writer = Writer(here, written)
    models = {f"scripted:{ROOT}": Root(size.children, written), f"scripted:{CHILD}": writer}
    async with Postroom.open(folder / "room", team=crowd_team(folder / "team"), models=models) as room:
        await room.store.write(_finish, size.finished)
        prompt = await room.prompt("Let them write.", profile=ROOT)
        writer.to = prompt.session_id
        await here.passed.wait()
        heart, began_s = Heart(), perf_counter()
        await room.quiesce()
        took_s, began_s = perf_counter() - began_s, perf_counter()
        listed = len(await room.agents_view(prompt.session_id))
        list_s = perf_counter() - began_s
        heart.stop()
        counts = room.store.look(_accounts, prompt.branch)
    return Seen(
        took_s=took_s, list_s=list_s, listed=listed, lag_s=heart.worst_s, accepted=counts["accepted"],
        consumed=counts["consumed"], refused=counts["refused"],
    )  # fmt: skip


def _finish(tx: Tx, count: int) -> None:
    """Sessions whose agents have read, called, answered and ended; all in one other tree."""
    root = make_root(tx)
    workers = make_workers(tx, root, count)
    start_turns(tx, root, workers)
    for number, worker in enumerate(workers):
        add_history(tx, root, workers[number - 1], worker, TASKS_OF_FINISHED * NODES_OF_TASK)
        assert worker.turn is not None
        row = tx.turn_row(worker.turn.key)
        assert row is not None
        tx.end_turn(row, TurnState.FINISHED, "answered")


def _accounts(tx: Tx, branch: int) -> Counter[str]:
    """What the log says of the letters to one agent."""
    found: Counter[str] = Counter()
    letters: set[int] = set()
    for event in tx.events_after(0, ALL):
        facts: Mapping[str, object] = json.loads(event.payload)
        if event.kind == EventKind.MESSAGE_REFUSED:
            found["refused"] += 1
        elif event.kind == EventKind.MESSAGE_ACCEPTED and (facts["branch"], facts["kind"]) == (
            branch,
            "mail",
        ):
            found["accepted"] += 1
            letters.add(int(str(facts["delivery"])))
        elif event.kind == EventKind.MESSAGE_CONSUMED and facts["delivery"] in letters:
            found["consumed"] += 1
    return found


async def run(folder: Path, size: Size, times: int) -> list[Figure]:
    """The crowd and one of half its size in turn; the fastest of each counts, and the worst delay of all."""
    halves, wholes = list[Seen](), list[Seen]()
    for number in range(times):
        halves.append(await gather(folder / f"half-{number}", size.half))
        wholes.append(await gather(folder / f"whole-{number}", size))
    took_s = min(seen.took_s for seen in wholes)
    ratio = took_s / min(seen.took_s for seen in halves)
    lag_ms = max(seen.lag_s for seen in wholes) * 1000
    bench = f"crowd ({size.children} children write to one agent beside {size.finished} finished sessions)"
    lost = sum(seen.accepted - seen.consumed for seen in wholes)
    list_ms = min(seen.list_s for seen in wholes) * 1000
    return [
        Figure(bench=bench, name=f"{LETTERS} letters of each, until all are read", value=took_s, unit="s"),
        Figure(
            bench=bench, name="of the time that half of it takes", value=ratio, unit="times", most=MOST_RATIO
        ),
        Figure(bench=bench, name="worst delay of the loop", value=lag_ms, unit="ms", most=MOST_LAG_MS),
        Figure(bench=bench, name="listing the tree", value=list_ms, unit="ms"),
        Figure(bench=bench, name="accepted and not read", value=lost, unit="letters", most=0),
    ]
