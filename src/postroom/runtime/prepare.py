"""What stands between an answer and its calls: rights, leave, hooks. Call by call, before any tool runs.

In model order (systems.md 3.5): the rights of a call, leave where a rule asks for it, then the hooks. A
hook that changes arguments gives no right: the changed call is judged again. Nothing here costs a call
whose rules are plain and that no hook looks at.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from postroom.domain.ask import Adviser, Counsel
from postroom.domain.keys import CallKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import Call, Turn
from postroom.llm.port import Json
from postroom.rules.markers import label
from postroom.rules.permissions import Effect, read_overlay
from postroom.rules.text_json import is_deeper_than
from postroom.runtime.agents import Agent
from postroom.service.asks import Verdict
from postroom.service.facts import AgentFacts
from postroom.service.hooks import HookNote
from postroom.service.rights import Wish
from postroom.surfaces.person import refusal_result
from postroom.tools.base import Caller, ToolResult, refused
from postroom.tools.hooks.asking import HookGate
from postroom.tools.hooks.gate import GatedCall, GateVerdict

LEVELS_MAX: Final = 64
"""How deep arguments may be nested: hooks and tools copy and write them, and a stack is not endless."""
_TOO_DEEP: Final = f"the arguments are nested more than {LEVELS_MAX} levels deep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A call that may be made, with its decoded arguments; or its result, when it may not."""

    call: Call
    arguments: Mapping[str, Json]
    result: ToolResult | None = None
    wish: Wish | None = None
    """What it needs a right to."""
    overlay: str = ""
    """The person's rules over the tree when it was judged."""


class Applicant(Protocol):
    """The turn, as its calls need it before they are made."""

    turn: Turn
    agent: Agent
    facts: AgentFacts
    given: list[str]
    gate: HookGate
    begun: frozenset[CallKey]
    """Questions that a process before this one has put to the person."""

    @property
    def overlay(self) -> str:
        """The person's rules over the tree, as they are now."""
        ...

    def caller(self, call: Call) -> Caller:
        """Who calls, for a foreign tool."""
        ...

    def is_plain(self, action: str) -> bool:
        """Whether no rule of the agent, its limits or its tree asks for leave for such an action."""
        ...

    def is_off(self, tool: str) -> bool:
        """Whether a setting keeps everybody from using a tool."""
        ...

    async def wants_leave(self, call: Call, wish: Wish) -> bool:
        """Whether the side of a call's recipient asks for leave, whatever the agent's own rules say."""
        ...

    async def judge(self, call: Call, wish: Wish, counsel: Counsel | None) -> Verdict:
        """Decide on a call; while the person is asked, the turn waits and this does not return."""
        ...

    async def consult(self, call: Call, wish: Wish, adviser: Adviser) -> Counsel:
        """Ask models that may speak for the person."""
        ...

    async def change_call(self, call: Call, arguments: str, by: str) -> None:
        """Keep a hook's arguments beside the model's."""
        ...

    async def note_hooks(self, call: Call, notes: Sequence[HookNote]) -> None:
        """Keep which hooks denied or failed."""
        ...


async def prepare(turn: Applicant, calls: Sequence[Call]) -> list[Ready]:
    """Decide on every call of a round, one after the other, before the first is made."""
    return [await _prepare(turn, call) for call in calls]


async def _prepare(turn: Applicant, call: Call) -> Ready:
    arguments = _decoded(turn, call)
    if isinstance(arguments, ToolResult):
        return Ready(call=call, arguments={}, result=arguments)
    ready = await _judged(turn, call, arguments)
    is_asked = not (turn.gate.is_idle or call.changed_by or call.key in turn.begun)
    if ready.result is not None or not is_asked:
        return ready
    verdict = await turn.gate.before_call(_gated(turn, ready))
    await _note(turn, call, verdict)
    if not verdict.allowed:
        refusal = Refusal(code=Code.DENIED_BY_HOOK, facts={"by": verdict.hook, "reason": verdict.reason})
        return replace(ready, result=refusal_result(call.tool, refusal))
    if verdict.arguments is None:
        return ready
    return await _changed(turn, call, verdict.arguments, verdict.hook)


async def _changed(turn: Applicant, call: Call, arguments: Mapping[str, Json], by: str) -> Ready:
    """Both versions are recorded; the rights of the changed one are decided anew, its recipient too."""
    changed = replace(call, arguments=json.dumps(arguments), changed_by=by)
    await turn.change_call(call, changed.arguments, by)
    return await _judged(turn, changed, arguments)


async def _judged(turn: Applicant, call: Call, arguments: Mapping[str, Json]) -> Ready:
    overlay, wish = turn.overlay, _wish(turn, call, arguments)
    refusal = await _judge(turn, call, wish)
    result = None if refusal is None else refusal_result(call.tool, refusal)
    return Ready(call=call, arguments=arguments, result=result, wish=wish, overlay=overlay)


def _decoded(turn: Applicant, call: Call) -> Mapping[str, Json] | ToolResult:
    """The arguments, or what the model reads because there is no such tool for it or they are no object."""
    known = call.tool in turn.agent.mail_tools or call.tool in turn.agent.tools
    if not known:
        given = ", ".join(turn.given) or "none"
        return ToolResult(text=f"unknown tool {label(call.tool)}; your tools are: {given}", is_error=True)
    if turn.is_off(call.tool):  # before the arguments are looked at (product.md section 5)
        return refused(call.tool, Code.DISABLED, "messaging is switched off")
    if call.tool not in turn.given and any(right.tool == call.tool for right in turn.facts.shows):
        return _not_given(turn, call.tool)
    arguments = _arguments(call)
    if isinstance(arguments, str):
        return refused(call.tool, Code.INVALID_ARGUMENTS, arguments)
    return arguments


def _not_given(turn: Applicant, tool: str) -> ToolResult:
    """What a model reads that calls a tool which its rules, or its spent messages, keep from it."""
    by_rules = json.loads(turn.facts.seen(read_overlay(turn.overlay)).tools)
    if tool in by_rules and any(right.tool == tool and right.spends for right in turn.facts.shows):
        return refused(
            tool, Code.MESSAGES_SPENT, "the messages of this chain are used up; finish by yourself"
        )
    return refused(tool, Code.PERMISSION_DENIED, "your rules do not show you this tool")


def _arguments(call: Call) -> Mapping[str, Json] | str:
    try:
        value: Json = json.loads(call.arguments or "{}")
    except ValueError as error:
        return f"the arguments are not JSON: {error}"
    except RecursionError:
        return _TOO_DEEP
    if call.arguments.count("[") + call.arguments.count("{") > LEVELS_MAX and is_deeper_than(
        value, LEVELS_MAX
    ):
        return _TOO_DEEP
    return value if isinstance(value, dict) else "the arguments must be a JSON object"


def _wish(turn: Applicant, call: Call, arguments: Mapping[str, Json]) -> Wish | None:
    mail_tool = turn.agent.mail_tools.get(call.tool)
    if mail_tool is not None:
        return _named(turn, mail_tool.wish(arguments))
    tool = turn.agent.tools[call.tool]
    if not tool.action:
        return None
    resource = call.tool if tool.resource is None else tool.resource(turn.caller(call), arguments)
    return Wish(tool=call.tool, action=tool.action, resource=resource, body=call.arguments)


def _named(turn: Applicant, wish: Wish | None) -> Wish | None:
    """Who makes an agent and names no profile makes one of its own kind."""
    if wish is None or wish.action != "delegate" or wish.resource:
        return wish
    return replace(wish, resource=turn.agent.profile.name)


async def _judge(turn: Applicant, call: Call, wish: Wish | None) -> Refusal | None:
    """Why the call may not be made; the wait for the person is inside."""
    if wish is None:
        return None
    if turn.is_plain(wish.action) and not await turn.wants_leave(call, wish):
        is_foreign = call.tool in turn.agent.tools
        denied = is_foreign and turn.facts.effect((), wish.action, wish.resource) is Effect.DENY
        return Refusal(code=Code.PERMISSION_DENIED, facts={"resource": wish.resource}) if denied else None
    counsel: Counsel | None = None
    while True:
        verdict = await turn.judge(call, wish, counsel)
        if verdict.adviser is None:
            return verdict.refusal
        counsel = await turn.consult(call, wish, verdict.adviser)


def _gated(turn: Applicant, ready: Ready) -> GatedCall:
    call = ready.call
    caller, wish = turn.caller(call), ready.wish or Wish(tool=call.tool, action="")

    def reread(changed: Mapping[str, Json]) -> Wish | None:
        return _wish(turn, replace(call, arguments=json.dumps(changed)), changed)

    return GatedCall(
        session_id=caller.session_id, branch_id=caller.branch_id, turn_id=caller.turn_id,
        call_id=caller.call_id, agent=caller.agent, tool=call.tool, arguments=ready.arguments,
        action=wish.action, resource=wish.resource, to=wish.to, body=wish.body, reread=reread,
    )  # fmt: skip


async def _note(turn: Applicant, call: Call, verdict: GateVerdict) -> None:
    notes = [HookNote(hook=one.hook, verdict="failed", code=one.code) for one in verdict.failed]
    notes += [HookNote(hook=by, verdict="deny") for by in verdict.denied_by]
    if notes:
        await turn.note_hooks(call, notes)
