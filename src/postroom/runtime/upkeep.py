"""What ends of turns leave to be done beside the turns: agents that retire, branches that get a name, and
agents that have left the memory.

Nothing waits for it but a process that wants to end: it is work for `quiesce`, and it holds no branch and
no slot. What is lost here with a process is made good at the next start, or after some more turns.
"""

import asyncio
from collections.abc import Coroutine

from postroom.clock import Clock
from postroom.domain.keys import BranchKey, TurnKey
from postroom.errors import StoreClosed, StoreFault
from postroom.llm.port import Purpose
from postroom.runtime.agents import Agents
from postroom.runtime.side_calls import entitle
from postroom.service.facts import Ring
from postroom.service.office import Office
from postroom.service.side_calls import SideAnswer


class Upkeep:
    """Every such work of this process. All of it on one event loop."""

    def __init__(self, office: Office, agents: Agents, clock: Clock) -> None:
        self._office = office
        self._agents = agents
        self._clock = clock
        # Who may change it: only methods of this class, on the loop.
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._leaving: list[BranchKey] = []
        self._writes_left = False
        self.idle = asyncio.Event()
        self.idle.set()

    def ring(self, ring: Ring) -> None:
        """Begin what a commit has left to be done."""
        for branch in ring.retiring:
            self._begin(self._retire(branch))
        for turn in ring.unnamed:
            self._begin(self._name(turn))

    def let_go(self, branch: BranchKey) -> None:
        """An agent has left the memory. Those that leave while this is written down are written together."""
        self._leaving.append(branch)
        if not self._writes_left:
            self._writes_left = True
            self._begin(self._write_left())

    async def close(self) -> None:
        """Begin nothing more and let go of what was begun. Idempotent."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        if self._closing:
            work.close()
            return
        self.idle.clear()
        task = asyncio.get_running_loop().create_task(self._surely(work))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self.idle.set()

    async def _surely(self, work: Coroutine[object, object, None]) -> None:
        """It fails alone: what it was begun for is durable already."""
        try:
            await work
        except StoreClosed:
            return
        except StoreFault as fault:
            self._office.on_pause(fault)
        except Exception as error:  # outermost frame of work that nobody waits for
            told = {"message": "what the end of a turn left to be done has failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(told)

    async def _retire(self, branch: BranchKey) -> None:
        await self._office.retire_done(branch)

    async def _write_left(self) -> None:
        try:
            while left := tuple(self._leaving):
                await self._office.let_go(left)
                del self._leaving[: len(left)]
        finally:
            self._writes_left = False

    async def _name(self, turn: TurnKey) -> None:
        about = await self._office.unnamed(turn)
        agent = None if about is None else self._agents.find(about.team, about.profile)
        model = None if agent is None else agent.aside.get(Purpose.TITLE)
        if about is None or agent is None or model is None:
            return
        title = await entitle(model, agent.profile.name, about.branch_id, about.said, self._clock)
        outcome = "failed" if title.name is None else "named"
        await self._office.record_title(turn, SideAnswer(outcome, title.usage, title.code), title.name)
