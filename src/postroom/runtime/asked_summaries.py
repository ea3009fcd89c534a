"""Summaries that the person asks for; a turn of such an agent waits for its end, and starts then.

Who is being summed up stands in `Office.summed_up`, which the transactions of sends look at, too: so no turn
starts behind the back of a summary, and mail that comes meanwhile is read after it.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

from postroom.domain.keys import BranchKey
from postroom.domain.receipt import Code, Refusal
from postroom.errors import StaleFence
from postroom.runtime.agents import Agent
from postroom.runtime.compaction import Failed, Outcome, sum_up
from postroom.runtime.means import Means

Asked: TypeAlias = Outcome | Refusal


class AskedSummaries:
    """Every such summary of this process. All of it on one event loop."""

    def __init__(self, means: Means, on_change: Callable[[], None]) -> None:
        """`on_change` is called whenever one has begun or ended."""
        self._means = means
        self._on_change = on_change
        # Who may change it: only methods of this class, on the loop.
        self._tasks: dict[BranchKey, asyncio.Task[Asked]] = {}

    def __len__(self) -> int:
        """How many are being made."""
        return len(self._tasks)

    async def over(self, branch: BranchKey) -> None:
        """Wait until an agent is not being summed up."""
        if (task := self._tasks.get(branch)) is not None:
            await asyncio.wait({task})

    def drop(self, branches: Sequence[BranchKey]) -> None:
        """The person has stopped them: nothing is written any more."""
        for branch in branches:
            if (task := self._tasks.get(branch)) is not None:
                task.cancel()

    async def close(self) -> None:
        """Let go of all of them. Idempotent."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def make(self, agent: Agent, branch: BranchKey, team: str) -> Asked:
        """Sum an idle agent up, also when the caller does not wait for it.

        Refuses `not_idle`, `nothing_to_compact`, `chain_spent`, and `target_stopped` when it is stopped.
        """
        if branch in self._tasks:
            return Refusal(code=Code.NOT_IDLE)
        # Before anything is read: a send that commits behind that finds it here.
        self._means.office.summed_up.add(branch)
        task = asyncio.get_running_loop().create_task(self._make(agent, branch, team))
        self._tasks[branch] = task
        task.add_done_callback(lambda _: self._ended(branch))
        self._on_change()
        await asyncio.wait({task})
        return Refusal(code=Code.TARGET_STOPPED) if task.cancelled() else task.result()

    def _ended(self, branch: BranchKey) -> None:
        del self._tasks[branch]
        self._means.office.summed_up.discard(branch)
        self._on_change()

    async def _make(self, agent: Agent, branch: BranchKey, team: str) -> Asked:
        occasion = await self._means.office.ask_to_sum_up(branch, team, agent.facts)
        if isinstance(occasion, Refusal):
            return occasion
        try:
            return await sum_up(self._means, agent, occasion)
        except StaleFence:
            return Failed("overtaken")
