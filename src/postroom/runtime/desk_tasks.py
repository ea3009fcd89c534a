"""The part of a turn's desk where its calls ask for tasks: how they stand, that they end, which there are."""

from collections.abc import Callable

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.runtime.desk_waits import WaitingDesk
from postroom.service.task_list import TaskLine
from postroom.service.task_stop import RenderStop
from postroom.service.tasks import RenderTask
from postroom.service.wait_for import WaitRequest


class TaskDesk(WaitingDesk):
    """What the calls of a turn may do with tasks that were handed out."""

    async def task_output(
        self, call: Call, task_id: str, render: RenderTask, *, block: bool, timeout_s: float
    ) -> Refusal | None:
        """How a task stands as the call's result: now, or at its end, or after `timeout_s` at the latest."""
        left_s = await self._left_s(call.key, timeout_s)
        outcome = await self.office.task_output(self.turn, call.key, task_id, render, block=block)
        if outcome is not None:
            return outcome if isinstance(outcome, Refusal) else None
        is_late = self._deadline(left_s)

        async def collected() -> bool:
            gives_up = is_late()
            found = await self.office.collect_output(self.turn, call.key, render, gives_up=gives_up)
            return found is not None

        await self._wait(call.key, collected, left_s)
        return None

    async def wait_for(self, call: Call, request: WaitRequest, timeout_s: float) -> Refusal | None:
        """Wait for several things at once."""
        left_s = await self._left_s(call.key, timeout_s)
        outcome = await self.office.begin_waiting(self.turn, call.key, request)
        if outcome is not None:
            return outcome if isinstance(outcome, Refusal) else None
        is_late = self._deadline(left_s)

        async def collected() -> bool:
            gives_up = is_late()
            found = await self.office.collect_waiting(self.turn, call.key, request.render, gives_up=gives_up)
            return found is not None

        await self._wait(call.key, collected, left_s)
        return None

    def _deadline(self, timeout_s: float) -> Callable[[], bool]:
        """Whether that time is over."""
        due_s = self.means.clock.monotonic_s() + timeout_s
        return lambda: self.means.clock.monotonic_s() >= due_s

    async def stop_task(self, call: Call, task_id: str, reason: str, render: RenderStop) -> Refusal | None:
        """End a task and everything that grew out of it."""
        outcome = await self.office.stop_task(self.turn, call.key, task_id, reason, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def list_tasks(self) -> list[TaskLine]:
        """What this agent and everybody below it have handed out, newest first."""
        return await self.office.list_tasks(self.turn.branch)
