"""What becomes of texts that nobody needs any more: pruned by hand, or by themselves after a time."""

import asyncio
import contextlib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from postroom.app.base import RoomBase
from postroom.app.staff import TeamCrew
from postroom.domain.keys import SessionKey
from postroom.errors import StoreFault
from postroom.observe.mirror import remove_lines
from postroom.service.blanking import BEGINNING
from postroom.service.prune import PruneStep, preview_step
from postroom.store.tx import Tx
from postroom.store.tx_prune import FIRST, Prunable

SESSIONS_AT_ONCE: Final = 100
LEAST_S: Final = 3_600.0
"""What is over for long enough and cannot go yet is looked at again after this time."""
LONGEST_S: Final = 86_400.0
_MICROS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneView:
    """What pruning took, or would take. Sizes in bytes."""

    dry_run: bool
    """Nothing was done."""
    sessions: int = 0
    messages: int = 0
    """Messages whose texts went; who wrote them to whom and when, their sizes and hashes stay."""
    nodes: int = 0
    """Items of conversations whose texts went."""
    kept: int = 0
    """Items that stay, because the conversation of another session goes through them."""
    body_bytes: int = 0
    """What the texts of those messages took."""

    def plus(self, *steps: PruneStep) -> "PruneView":
        """With what the steps of one more session took; without any it was not over."""
        return PruneView(
            dry_run=self.dry_run, sessions=self.sessions + bool(steps),
            messages=self.messages + sum(step.messages for step in steps),
            nodes=self.nodes + sum(step.nodes for step in steps),
            kept=self.kept + sum(step.kept for step in steps),
            body_bytes=self.body_bytes + sum(step.body_bytes for step in steps),
        )  # fmt: skip


class RetentionRoom(RoomBase):
    """How long texts stay."""

    _waiting: asyncio.Task[None] | None = None

    async def prune(self, older_than_s: float, *, dry_run: bool = False, actor: str = "person") -> PruneView:
        """Remove the texts of conversations in which nothing has happened for so many seconds, and nothing is
        unread or open.

        Durable on return; one that is cut off may be run again. Raises `RoomClosed`.
        """
        self.check_open()
        before_us = self._clock.now_us() - round(older_than_s * _MICROS)
        view, behind, would_go = PruneView(dry_run=dry_run), FIRST, set[SessionKey]()
        while page := await self._page(before_us, behind):
            behind = page[-1]
            for found in page:
                if not dry_run:
                    view = view.plus(*await self._prune_session(found.session, before_us, actor))
                elif steps := await self._preview(found.session, before_us, would_go):
                    view = view.plus(*steps)
                    would_go.add(found.session)
        return view

    async def close(self) -> None:
        """End what waits, then the room."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)
        await super().close()

    async def _begin(self, crew: TeamCrew | None) -> None:
        """The room first, then what is to be forgotten."""
        await super()._begin(crew)
        config = self._outfit.config
        after_s = config.retention.consumed_after_s if config else None
        if after_s is not None and not self._outfit.idle:
            self._waiting = asyncio.get_running_loop().create_task(self._forget(after_s))

    async def _page(self, before_us: int, behind: Prunable) -> list[Prunable]:
        return await self.store.read(Tx.prunable_sessions, before_us, behind, SESSIONS_AT_ONCE)

    async def _prune_session(self, session: SessionKey, before_us: int, actor: str) -> list[PruneStep]:
        steps, place = list[PruneStep](), BEGINNING
        while (step := await self.office.prune_step(session, before_us, place, actor)) is not None:
            steps.append(step)
            if step.place is None:
                await asyncio.to_thread(remove_lines, self.folder, step.session_id)
                break
            place = step.place
        return steps

    async def _preview(
        self, session: SessionKey, before_us: int, gone: AbstractSet[SessionKey]
    ) -> list[PruneStep]:
        steps, place = list[PruneStep](), BEGINNING
        while place is not None:
            step = await self.store.read(preview_step, session, before_us, place, gone)
            if step is None:
                break
            steps.append(step)
            place = step.place
        return steps

    async def _forget(self, after_s: int) -> None:
        """Prune what is due, then wait for what is due next: the store says, also after a start, when."""
        least_s = 0.0
        while True:
            await self._clock.sleep_s(max(least_s, await self._due_in_s(after_s)))
            least_s = LEAST_S
            with contextlib.suppress(StoreFault):  # the next time brings the next try
                await self.prune(after_s, actor="system")

    async def _due_in_s(self, after_s: int) -> float:
        with contextlib.suppress(StoreFault):
            oldest_us = await self.store.read(Tx.oldest_prunable_us)
            if oldest_us is not None:
                due_us = oldest_us + after_s * _MICROS
                return min(max(0.0, (due_us - self._clock.now_us()) / _MICROS), LONGEST_S)
        return LONGEST_S
