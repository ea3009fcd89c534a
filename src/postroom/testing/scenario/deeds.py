"""What agents of every surface can do, in one word each: a script says `send`, and each surface has its tool.

A file that is to hold on several policies is written in these words. A tool's own name goes through as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from postroom.domain.plain import Json
from postroom.llm.script import Script, ScriptedAnswer, ScriptedCall
from postroom.llm.scripted import Round

JOB: Final = "job"
"""What `wait` and `stop` are about: a task, or where tasks have no ids for agents, the agent that has it."""
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "send": ("to", "text", "mode"),
    "spawn": ("agent", "prompt", "description", "background"),
    "dispatch": ("to", "prompt", "description", "agent"),
    "list": (),
    "wait": (JOB,),
    "stop": (JOB, "reason"),
}
"""Every deed and what it takes. What a surface's tool has no argument for is left out there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """How one surface does it."""

    tool: str
    """Empty: the agent that is named is the tool."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tool's own words for the arguments."""
    fixed: Mapping[str, Json] = field(default_factory=dict[str, Json])
    is_list: bool = False
    """Whether it takes several jobs, and so a list of them."""


_SAME: Final = {"to": "to", "prompt": "prompt", "description": "description"}
_STOP_TASK: Final = Deed(tool="task_stop", names={JOB: "task_id", "reason": "reason"})
DEEDS: Final[Mapping[str, Mapping[str, Deed]]] = {
    "tree": {
        "send": Deed(tool="send_message", names={"to": "to", "text": "body", "mode": "mode"}),
        "spawn": Deed(
            tool="delegate_subagent",
            names={**_SAME, "agent": "agent_type", "background": "background"},
        ),
        "dispatch": Deed(
            tool="delegate_subagent",
            names={**_SAME, "to": "resume_session_id", "agent": "agent_type"},
            fixed={"background": True},
        ),
        "wait": Deed(tool="get_subagent_result", names={JOB: "session_id"}, fixed={"wait": True}),
        "stop": Deed(tool="cancel_subagent", names={JOB: "session_id", "reason": "reason"}),
    },
    "branch": {
        "send": Deed(tool="send_message", names={"to": "to", "text": "message"}),
        "spawn": Deed(tool="agent", names={**_SAME, "agent": "agent_id", "background": "run_in_background"}),
        "dispatch": Deed(tool="agent", names=_SAME, fixed={"run_in_background": True}),
        "list": Deed(tool="list_agents"),
        "wait": Deed(tool="task_output", names={JOB: "task_id"}),
        "stop": _STOP_TASK,
    },
    "peer": {
        "send": Deed(tool="session_send", names={"to": "target_id", "text": "message"}),
        "spawn": Deed(tool="spawn_subagent", names={**_SAME, "background": "background"}),
        "list": Deed(tool="session_list"),
        "wait": Deed(tool="session_wait", names={JOB: "target_ids"}, is_list=True),
    },
    "roster": {
        "send": Deed(tool="send_message", names={"to": "to", "text": "text"}),
        "spawn": Deed(tool="", names={"prompt": "task"}),
        "list": Deed(tool="list_agents"),
    },
    "team": {
        "send": Deed(tool="send_message", names={"to": "to", "text": "message", "mode": "mode"}),
        "spawn": Deed(tool="agent", names={**_SAME, "agent": "profile", "background": "background"}),
        "dispatch": Deed(tool="agent", names=_SAME, fixed={"background": True}),
        "list": Deed(tool="list_agents"),
        "wait": Deed(tool="wait", names={JOB: "for"}, is_list=True),
        "stop": _STOP_TASK,
    },
}
"""By surface; what is not here, its agents cannot do."""


def tool_of(surface: str, name: str | None) -> str | None:
    """The tool that does a deed; any other name is one of a tool."""
    deed = DEEDS[surface].get(name or "")
    return name if deed is None else deed.tool or None


def deeds_in(script: Script) -> Iterator[tuple[str, ScriptedCall]]:
    """Every call of a script that is a deed."""
    for round_ in script.rounds:
        if isinstance(round_, ScriptedAnswer):
            calls = (*round_.calls, *round_.otherwise_calls)
            yield from ((call.tool, call) for call in calls if call.tool in ARGUMENTS)


def flaw(call: ScriptedCall) -> str:
    """What is wrong with the arguments of a deed; empty when nothing is."""
    known = ARGUMENTS[call.tool]
    if isinstance(call.arguments, str):
        return f"`{call.tool}` takes a map"
    unknown = [name for name in call.arguments if name not in known]
    if unknown:
        return f"`{call.tool}` takes no `{unknown[0]}`; known: {', '.join(known) or 'nothing'}"
    return "`spawn` needs an `agent`" if call.tool == "spawn" and "agent" not in call.arguments else ""


def in_words_of(surface: str, script: Script) -> Script:
    """The script with every deed as the call of the surface's tool."""
    return Script(tuple(_round(surface, round_) for round_ in script.rounds))


def _round(surface: str, round_: Round) -> Round:
    if not isinstance(round_, ScriptedAnswer):
        return round_
    return replace(
        round_,
        calls=tuple(_call(surface, call) for call in round_.calls),
        otherwise_calls=tuple(_call(surface, call) for call in round_.otherwise_calls),
    )


def _call(surface: str, call: ScriptedCall) -> ScriptedCall:
    deed = DEEDS[surface].get(call.tool)
    if deed is None or isinstance(call.arguments, str):
        return call
    given: dict[str, Json] = {}
    for name, value in call.arguments.items():
        if name in deed.names:
            is_one = deed.is_list and not isinstance(value, list)
            given[deed.names[name]] = [value] if is_one else value
    return replace(call, tool=deed.tool or str(call.arguments["agent"]), arguments={**deed.fixed, **given})
