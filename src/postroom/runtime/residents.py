"""The conversations in memory: which stay there between two turns, and for how long.

A child that has done its work is read again from the store when something reaches it, so it need not stay
(CK-36). Roots stay, and so does whoever stands in line for a slot. That a child has left is told: mail for
agents that are not in memory may have to wait (`service.residency`). A root whose long conversation makes
room for others is only read again; it has not left.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable

from postroom.clock import Clock
from postroom.domain.keys import BranchKey, NodeKey
from postroom.domain.policy import Policy
from postroom.runtime.transcript import Transcript

RESIDENT_ITEMS_MAX = 40_000
"""Items of all conversations kept in memory: a few long ones, or ten thousand agents that have read one mail.
The one used longest ago goes first, and is read again when its branch next runs."""


class Residents:
    """Conversations that no turn holds. All of it on one event loop; one sleeping task at most."""

    def __init__(
        self, clock: Clock, policy: Policy, on_evicted: Callable[[BranchKey], None] = lambda _: None
    ) -> None:
        self._clock = clock
        self._on_evicted = on_evicted
        self._idle_s = float(policy.idle_eviction_s)
        self._children_max = policy.resident_subagents_max
        # In the order of use, the one used longest ago first.
        self._kept: OrderedDict[BranchKey, Transcript] = OrderedDict()
        self._due_s: OrderedDict[BranchKey, float] = OrderedDict()
        """When each resident child has been idle for long enough, by the monotonic clock."""
        self._n_items = 0
        self._in_line: Counter[BranchKey] = Counter()
        self._task: asyncio.Task[None] | None = None

    def take(self, branch: BranchKey, head: NodeKey | None) -> Transcript | None:
        """The conversation up to exactly this head, if it is in memory; it is the caller's now."""
        found = self._drop(branch)
        self._rest()
        return found if found is not None and found.head == head else None

    def keep(self, branch: BranchKey, transcript: Transcript, *, is_child: bool = False) -> None:
        """Give it back at the end of a turn; the newest stays, however long it is."""
        self._drop(branch)
        self._kept[branch] = transcript
        self._n_items += len(transcript.items)
        if is_child:
            self._due_s[branch] = self._clock.monotonic_s() + self._idle_s
        while self._n_items > RESIDENT_ITEMS_MAX and len(self._kept) > 1:
            self._let_go(next(iter(self._kept)))
        self._trim()

    def stands_in_line(self, branch: BranchKey) -> None:
        """A turn of it waits for a slot: it will be needed soon."""
        self._in_line[branch] += 1

    def left_line(self, branch: BranchKey) -> None:
        """That turn is over, or never ran."""
        self._in_line[branch] -= 1
        if not self._in_line[branch]:
            del self._in_line[branch]
        self._trim()

    def close(self) -> None:
        """Keep nothing, and wait for nothing."""
        self._kept.clear()
        self._due_s.clear()
        self._n_items = 0
        self._rest()

    @property
    def n_children(self) -> int:
        """How many children are in memory between two turns."""
        return len(self._due_s)

    def __len__(self) -> int:
        """How many conversations are in memory between two turns."""
        return len(self._kept)

    def _drop(self, branch: BranchKey) -> Transcript | None:
        found = self._kept.pop(branch, None)
        self._due_s.pop(branch, None)
        self._n_items -= 0 if found is None else len(found.items)
        return found

    def _let_go(self, branch: BranchKey) -> None:
        is_child = branch in self._due_s
        self._drop(branch)
        if is_child:
            self._on_evicted(branch)

    def _trim(self) -> None:
        """Let go of children that are too many or idle for too long; then sleep until the next is."""
        now_s = self._clock.monotonic_s()
        while (oldest := self._oldest()) is not None:
            if len(self._due_s) <= self._children_max and self._due_s[oldest] > now_s:
                break
            self._let_go(oldest)
        self._rest()

    def _oldest(self) -> BranchKey | None:
        """The child used longest ago, without those that stand in line."""
        return next((branch for branch in self._due_s if branch not in self._in_line), None)

    def _rest(self) -> None:
        """Exactly one sleeping task while a child may still become idle for too long, else none."""
        sleeps = self._oldest() is not None
        if sleeps and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._sleep())
        elif not sleeps and self._task is not None:
            if self._task is not asyncio.current_task():
                self._task.cancel()
            self._task = None

    async def _sleep(self) -> None:
        while (oldest := self._oldest()) is not None:
            await self._clock.sleep_s(max(self._due_s[oldest] - self._clock.monotonic_s(), 0.0))
            self._trim()
