"""The tool calls of one round: each gets exactly one result, durable when its call ends."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from postroom.domain.receipt import Code
from postroom.domain.turn import Call, Turn
from postroom.errors import Fault
from postroom.faults import reach
from postroom.llm.port import Json
from postroom.rules.text import is_blank
from postroom.runtime.agents import Agent
from postroom.service.facts import AgentFacts
from postroom.service.office import Office
from postroom.service.turns import Step
from postroom.surfaces.base import Desk
from postroom.tools.base import Caller, ToolResult
from postroom.tools.python import told


class ToolCrashed(Fault):
    """A tool raised what no tool may raise; the turn that called it fails."""

    code = "tool_crashed"


class Clerk(Desk, Protocol):
    """The turn, as its calls need it."""

    turn: Turn
    agent: Agent
    facts: AgentFacts
    given: list[str]
    """The tools that the turn was started with."""
    office: Office

    def caller(self, call: Call) -> Caller:
        """Who calls, for a foreign tool."""
        ...


async def run_calls(clerk: Clerk, calls: Sequence[Call]) -> Step:
    """Run the batch, beside each other where every tool allows it, and close the round."""
    step: Step | None = None
    if all(_is_parallel(clerk, call) for call in calls):
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(_run(clerk, call)) for call in calls]
        step = next((s for task in running if (s := task.result()) is not None), None)
    else:
        for call in calls:
            step = await _run(clerk, call) or step
    return step or await clerk.office.close_round(clerk.turn, clerk.facts)


def _is_parallel(clerk: Clerk, call: Call) -> bool:
    tool = clerk.agent.tools.get(call.tool)
    return tool is None or tool.parallel


async def _run(clerk: Clerk, call: Call) -> Step | None:
    """One call. A mail tool writes its own result, in the transaction that causes its effect."""
    result = await _result(clerk, call)
    step = None
    if result is not None:
        text = result.text if not is_blank(result.text) else "(no output)"
        step = await clerk.office.end_call(clerk.turn, call, replace(result, text=text), clerk.facts)
    reach("calls.between")
    return step


async def _result(clerk: Clerk, call: Call) -> ToolResult | None:
    mail_tool = clerk.agent.mail_tools.get(call.tool)
    tool = clerk.agent.tools.get(call.tool)
    if mail_tool is None and tool is None:
        given = ", ".join(clerk.given) or "none"
        return ToolResult(text=f"unknown tool {call.tool}; your tools are: {given}", is_error=True)
    if call.tool not in clerk.given and any(right.tool == call.tool for right in clerk.facts.shows):
        text = f"{call.tool}:{Code.PERMISSION_DENIED}: your rules do not show you this tool"
        return ToolResult(text=text, is_error=True, refusal=Code.PERMISSION_DENIED)
    arguments = _arguments(call)
    if isinstance(arguments, str):
        text = f"{call.tool}:{Code.INVALID_ARGUMENTS}: {arguments}"
        return ToolResult(text=text, is_error=True, refusal=Code.INVALID_ARGUMENTS)
    if mail_tool is not None:
        return await mail_tool.run(clerk, call, arguments)
    assert tool is not None  # noqa: S101 -- one of the two was found above
    return await _foreign(clerk, call, arguments)


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
        msg = f"{call.tool} raised {type(error).__name__}"
        raise ToolCrashed(msg) from error


def _arguments(call: Call) -> Mapping[str, Json] | str:
    try:
        value: Json = json.loads(call.arguments or "{}")
    except ValueError as error:
        return f"the arguments are not JSON: {error}"
    except RecursionError:
        return "the arguments are nested too deeply"
    return value if isinstance(value, dict) else "the arguments must be a JSON object"
