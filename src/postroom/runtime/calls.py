"""The tool calls of one round: each gets exactly one result, durable when its call ends."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call
from postroom.errors import Fault
from postroom.faults import reach
from postroom.llm.port import Json
from postroom.rules.text import is_blank
from postroom.runtime.prepare import Applicant, Ready, prepare
from postroom.service.office import Office
from postroom.service.rights import Wish
from postroom.service.turns import Step
from postroom.surfaces.base import Desk
from postroom.surfaces.person import refusal_result
from postroom.tools.base import ToolResult
from postroom.tools.python import told


class ToolCrashed(Fault):
    """A tool raised what no tool may raise; the turn that called it fails."""

    code = "tool_crashed"


class Clerk(Desk, Applicant, Protocol):
    """The turn, as its calls need it."""

    office: Office
    tools_at_work: int
    """How many foreign tools run now."""
    in_calls: bool
    """Whether tools run now: only then a stop gives them time."""

    async def is_still_allowed(self, call: Call, wish: Wish) -> bool:
        """Whether a tool's call may be made by the rules of this moment."""
        ...


async def run_calls(clerk: Clerk, calls: Sequence[Call]) -> Step:
    """Decide on every call, then run the batch, beside each other where every tool allows it, and close the
    round.
    """
    ready = await prepare(clerk, calls)
    clerk.in_calls = True
    try:
        return await _run_all(clerk, ready)
    finally:
        clerk.in_calls = False


async def _run_all(clerk: Clerk, calls: Sequence[Ready]) -> Step:
    step: Step | None = None
    if all(_is_parallel(clerk, one.call) for one in calls):
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(_run(clerk, one)) for one in calls]
        step = next((s for task in running if (s := task.result()) is not None), None)
    else:
        for one in calls:
            step = await _run(clerk, one) or step
    return step or await clerk.office.close_round(clerk.turn, clerk.facts)


def _is_parallel(clerk: Clerk, call: Call) -> bool:
    tool = clerk.agent.tools.get(call.tool)
    return tool is None or tool.parallel


async def _run(clerk: Clerk, ready: Ready) -> Step | None:
    """One call. A mail tool writes its own result, in the transaction that causes its effect."""
    result = ready.result or await _result(clerk, ready)
    step = None
    if result is not None:
        text = result.text if not is_blank(result.text) else "(no output)"
        step = await clerk.office.end_call(clerk.turn, ready.call, replace(result, text=text), clerk.facts)
    reach("calls.between")
    return step


async def _result(clerk: Clerk, ready: Ready) -> ToolResult | None:
    mail_tool = clerk.agent.mail_tools.get(ready.call.tool)
    if mail_tool is not None:
        return await mail_tool.run(clerk, ready.call, ready.arguments)
    if ready.wish is not None and not await _is_still_allowed(clerk, ready, ready.wish):
        refusal = Refusal(code=Code.PERMISSION_DENIED, facts={"resource": ready.wish.resource})
        return refusal_result(ready.call.tool, refusal)
    clerk.tools_at_work += 1
    try:
        return await _foreign(clerk, ready.call, ready.arguments)
    finally:
        clerk.tools_at_work -= 1


async def _is_still_allowed(clerk: Clerk, ready: Ready, wish: Wish) -> bool:
    """The person may have laid other rules over the tree while other calls of the batch waited or worked.

    Mail tools look themselves, in the transaction of their effect.
    """
    return ready.overlay == clerk.overlay or await clerk.is_still_allowed(ready.call, wish)


async def _foreign(clerk: Clerk, call: Call, arguments: Mapping[str, Json]) -> ToolResult:
    """A tool that is not ours: its errors are results, and nothing it raises leaves the turn open."""
    try:
        return await clerk.agent.tools[call.tool].run(clerk.caller(call), arguments)
    except GeneratorExit:
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return ToolResult(text="the tool was cancelled from within", is_error=True)
    except Exception as error:  # outermost frame: a tool's fault is a result
        return ToolResult(text=told(error), is_error=True)
    except BaseException as error:  # outermost frame: no tool may end the process
        raise ToolCrashed(f"{call.tool} raised {type(error).__name__}") from error
