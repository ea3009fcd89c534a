"""What the conversations of finished children weigh, and what is left of that once they have gone (O-10).

Counted are the bytes that Python has allocated, so the figure does not depend on the machine. Time is
moved by hand: an hour passes at once.
"""

import gc
import json
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benches.crowd import CHILD, ROOT, crowd_team
from benches.report import Figure
from benches.world import WIDE
from postroom.app import Postroom
from postroom.llm.port import CallItem, ModelAnswer, ModelRequest, OnText
from postroom.rules.envelope import TEASER_LINES
from postroom.testing.clock import FakeClock

TOGETHER = 50
"""Children of one round: many at once would weigh more than what they leave behind."""
TEXT_CHARS = 20_000
HOUR_S = 3_600.0
MOST_LEFT = 0.1
MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Bytes: of all children in memory, and of what is left an hour later, both above the start."""

    full: int
    left: int
    children: int
    children_left: int


class Talker:
    """Answers with a long text of its own; its beginning, which its parent keeps, is short."""

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """A long answer."""
        return ModelAnswer(text="\n" * TEASER_LINES + "".join(["a long report. "] * (TEXT_CHARS // 15)))


class Maker:
    """Makes some children for each prompt, and has nothing to say to what they report."""

    def __init__(self, counts: Sequence[int]) -> None:
        self._counts = iter(counts)

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The calls, or the end."""
        last = request.items[-1]
        if last.text != "more":
            return ModelAnswer(text="noted")
        given = {"description": "talk", "prompt": "talk", "agent_type": CHILD, "background": True}
        call = CallItem(call_id="", tool="delegate_subagent", arguments=json.dumps(given))
        return ModelAnswer(calls=(call,) * next(self._counts))


async def weigh(folder: Path, children: int) -> Weights:
    """Let children end one after the other, weigh them, let an hour pass, weigh again."""
    team = crowd_team(folder / "team")
    team = replace(team, policy=replace(team.policy, concurrency=4, resident_subagents_max=WIDE))
    rounds = [min(TOGETHER, children - first) for first in range(0, children, TOGETHER)]
    models = {f"scripted:{ROOT}": Maker([1, *rounds]), f"scripted:{CHILD}": Talker()}
    clock = FakeClock()
    async with Postroom.open(folder / "room", team=team, models=models, clock=clock) as room:
        prompt = await room.prompt("more", profile=ROOT)
        await room.quiesce()
        await clock.advance(HOUR_S)
        start = await _start(room)
        for _ in rounds:
            await room.prompt("more", session=prompt.session_id)
            await room.quiesce()
        full, n_full = await _allocated(room) - start, room.residents.n_children
        await clock.advance(HOUR_S)
        left, n_left = await _allocated(room) - start, room.residents.n_children
    tracemalloc.stop()
    return Weights(full=full, left=left, children=n_full, children_left=n_left)


async def _start(room: Postroom) -> int:
    tracemalloc.start()
    return await _allocated(room)


async def _allocated(room: Postroom) -> int:
    """What is allocated once the index for search has let go of the texts that it was working on."""
    while await room.office.index_words():
        pass
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


async def run(folder: Path, children: int) -> list[Figure]:
    """The weights as figures."""
    seen = await weigh(folder, children)
    bench = f"memory ({children} children that have ended, {TEXT_CHARS:,} characters each)"
    return [
        Figure(bench=bench, name="their conversations", value=seen.full / MB, unit="MB"),
        Figure(bench=bench, name="left after an hour", value=seen.left / MB, unit="MB"),
        Figure(
            bench=bench, name="share that is left", value=seen.left / seen.full, unit="of it", most=MOST_LEFT
        ),
    ]
