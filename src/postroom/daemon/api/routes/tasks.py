"""Work that agents have given each other."""

from fastapi import APIRouter

from postroom.daemon.api.given import LISTED, Id, Limit, SomeAgent
from postroom.daemon.api.guard import Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.receipt import Code
from postroom.observe.lists import TaskView
from postroom.observe.tasks import TaskDetail, task_detail

router = APIRouter(prefix="/tasks", tags=["tasks"])


@router.get("")
async def tasks(house: Read, session: SomeAgent = None, limit: Limit = LISTED) -> list[TaskView]:
    """The tasks of the store, of a session, or of one agent, newest first."""
    return await house.room.tasks(session, limit=limit)


@router.get("/{task}")
async def task(house: Read, task: Id) -> TaskDetail:
    """One task with its text, its result, and those that were given for it."""
    return await house.room.store.read(task_detail, task)


@router.post("/{task}/stop", status_code=204, openapi_extra=refuses(Code.UNKNOWN_TASK, Code.ALREADY_ENDED))
async def stop_task(house: Operate, task: Id) -> None:
    """End a task with everything below it, also while it still waits in a mailbox."""
    await house.room.stop_task(task)
