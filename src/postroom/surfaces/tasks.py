"""`task_output`, `task_stop` and `list_tasks`: what only the dispatcher of a task may do with it."""

from collections.abc import Sequence
from typing import Final

from postroom.domain.task import FINAL_STATES, TaskState
from postroom.domain.turn import Call
from postroom.rules.envelope_branch import end_line
from postroom.rules.markers import label
from postroom.service.task_list import TaskLine
from postroom.service.task_stop import StopView
from postroom.service.tasks import TARGET_STOPPED, Fetched
from postroom.surfaces.arguments import Field, Values
from postroom.surfaces.base import Desk, MailTool
from postroom.surfaces.bracketed import RefusalResult, told
from postroom.surfaces.field_tool import FieldTool, RunDecoded
from postroom.tools.base import ToolResult

TIMEOUT_MS: Final = 30_000
TIMEOUT_MS_MAX: Final = 600_000
"""A longer wait is cut to this (OP-71)."""
_TASK = Field(name="task_id", type="string", description="The id of a task that you or yours have given.")
STOP_FIELDS = (
    _TASK,
    Field(name="reason", type="string", default="", required=False, description="Why, for the record."),
)


def _output_fields(timeout: str) -> tuple[Field, ...]:
    return (
        _TASK,
        Field(
            name="block", type="boolean", default=True, required=False,
            description="true waits for the end of the task, false only looks.",
        ),
        Field(
            name=timeout, type="integer", default=TIMEOUT_MS, least=0, required=False,
            description=f"Milliseconds to wait, at most {TIMEOUT_MS_MAX}.",
        ),
    )  # fmt: skip


def _task_output(refusal_result: RefusalResult, timeout: str) -> RunDecoded:
    """The result of a task, after waiting for it a while."""

    async def task_output(desk: Desk, call: Call, values: Values) -> ToolResult | None:
        task_id, block = str(values["task_id"]), bool(values["block"])
        timeout_ms = min(int(values[timeout]), TIMEOUT_MS_MAX)
        waited_ms = timeout_ms if block else 0
        refusal = await desk.task_output(
            call, task_id, lambda f: output_text(f, waited_ms), block=block, timeout_s=timeout_ms / 1000
        )
        return None if refusal is None else refusal_result("task_output", refusal, {"task_id": task_id})

    return task_output


def _task_stop(refusal_result: RefusalResult) -> RunDecoded:
    """End a task and all that it handed out."""

    async def task_stop(desk: Desk, call: Call, values: Values) -> ToolResult | None:
        task_id = str(values["task_id"])
        refusal = await desk.stop_task(call, task_id, str(values["reason"]), stop_text)
        return None if refusal is None else refusal_result("task_stop", refusal, {"task_id": task_id})

    return task_stop


async def list_tasks(desk: Desk, _call: Call, _values: Values) -> ToolResult | None:
    """The newest tasks, each on a line."""
    return ToolResult(text=tasks_text(await desk.list_tasks()))


def output_text(fetched: Fetched, waited_ms: int) -> str:
    """How a task stands: its text and a line on it, or why there is none, or that it still runs."""
    facts, state = fetched.facts, fetched.state
    task = f"task_id={facts.task}"
    if fetched.status == TARGET_STOPPED:
        return f"[task_output] {task} status=stopped\n{end_line(facts)}"
    if state not in FINAL_STATES and fetched.mail_waiting:
        return f"[task_output] {task} status={state}\n{cut_line(fetched.mail_waiting)}"
    if state not in FINAL_STATES:
        waited = f" after {waited_ms} ms" if waited_ms else ""
        return (
            f"[task_output] {task} status={state}\n"
            f"It has not ended{waited}. Call task_output again to wait on; its result also comes by itself."
        )
    if state == TaskState.COMPLETED:
        return f"{told(fetched)}\n\n[task_output] {task} status={state}"
    return f"[task {state}] {task}\n{told(fetched)}"


def cut_line(mail_waiting: int) -> str:
    """Why a wait has ended before what it was for."""
    what = "A message waits" if mail_waiting == 1 else f"{mail_waiting} messages wait"
    return f"{what} for you, so this returns early. The work goes on; its result also comes by itself."


def stop_text(view: StopView) -> str:
    """A task after it was stopped, or that there was nothing left to stop."""
    line = f"[task_stop] task_id={view.task.facts.task} status={view.task.state}"
    if view.had_ended:
        return f"{line}\nIt had ended before; nothing was changed."
    return f"{line}\nWith it ended {view.below} tasks that it had handed out." if view.below else line


def tasks_text(tasks: Sequence[TaskLine]) -> str:
    """One line for each task, the newest first."""
    return "\n".join(_line(task) for task in tasks) or "(no tasks)"


def _line(task: TaskLine) -> str:
    subject = label(task.subject) or "(no description)"
    cause = f" ({label(task.cause)})" if task.cause else ""
    return f'{task.task_id} {task.state} — {subject}{cause} to="{task.to}"'


_LIST_TASKS = FieldTool(
    name="list_tasks", description="See your tasks and how they stand.", fields=(), run=list_tasks
).made()


def task_tools(refusal_result: RefusalResult, *, timeout: str) -> tuple[MailTool, ...]:
    """The three tools of one surface; `timeout` is what it calls the time of a wait."""
    return (
        FieldTool(
            name="task_output",
            description="Wait for a task that you gave, and read its result.",
            fields=_output_fields(timeout),
            run=_task_output(refusal_result, timeout),
            spends=True,
        ).made(),
        FieldTool(
            name="task_stop",
            description="Cancel a task that you gave, and everything that it handed out.",
            fields=STOP_FIELDS,
            run=_task_stop(refusal_result),
            spends=True,
        ).made(),
        _LIST_TASKS,
    )
