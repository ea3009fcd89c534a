"""All hooks of a room as one gate: asked one after the other, each sees what the one before it made.

This is the gate `tool.before` of the bus: whoever guards that type is asked first, then the hooks. All of
them are asked, also after a denial, so that the model reads every reason at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from postroom.domain.bus import BusEvent, Verdict
from postroom.domain.plain import Json
from postroom.profiles.hook_settings import CALL_GATE, OnFailure
from postroom.tools.hooks import bus
from postroom.tools.hooks.bus import Bus
from postroom.tools.hooks.gate import GatedCall, GateVerdict, HookFailure
from postroom.tools.hooks.hook import Hook, denied

TeamOf = Callable[[str], Awaitable[str]]
"""The folder of a session's team."""


@dataclass(slots=True, kw_only=True)
class _Asking:
    """One call on its way through the hooks."""

    call: GatedCall
    by: list[str] = field(default_factory=list[str])
    failed: list[HookFailure] = field(default_factory=list[HookFailure])

    def verdict(self, said: Verdict) -> GateVerdict:
        """What all of them said together."""
        if said.allowed:
            arguments = self.call.arguments if self.by else None
            hook = ", ".join(dict.fromkeys(self.by))
            return GateVerdict(arguments=arguments, hook=hook, failed=tuple(self.failed))
        by, reason = together(said)
        denied_by = tuple(one.by for one in said.reasons)
        return GateVerdict(
            allowed=False, reason=reason, hook=by, denied_by=denied_by, failed=tuple(self.failed)
        )


@dataclass(frozen=True, slots=True)
class _CallGate:
    """One hook, about one call."""

    hook: Hook
    asking: _Asking

    @property
    def name(self) -> str:
        """As a denial names it."""
        return self.hook.name

    async def answer(self, event: BusEvent) -> bus.Answer:
        """Why not. A failure is kept with the call, and denies where the settings say so."""
        del event  # the hook is asked about the call, as the hooks before it have made it
        answer = await self.hook.ask(self.asking.call)
        if isinstance(answer, HookFailure):
            self.asking.failed.append(answer)
            denies = self.hook.on_failure is OnFailure.DENY
            return f"the hook failed: {answer.what}" if denies else None
        if answer.arguments is not None and answer.arguments != self.asking.call.arguments:
            self.asking.call = self.asking.call.changed(answer.arguments)
            self.asking.by.append(self.hook.name)
        return answer.reason


class HookGate:
    """The gate of a room. `hooks` gives them in the order in which they are asked."""

    def __init__(self, hooks: Callable[[], Sequence[Hook]], team_of: TeamOf, bus: Bus) -> None:
        self._hooks = hooks
        self._team_of = team_of
        self._bus = bus

    @property
    def is_idle(self) -> bool:
        """Whether no hook would look at any call, and nobody is told of one."""
        heard = self._bus.is_gated(CALL_GATE) or self._bus.wants(CALL_GATE)
        return not heard and not any(hook.gates for hook in self._hooks())

    async def before_call(self, call: GatedCall) -> GateVerdict:
        """Ask every hook that wants this tool. Raises nothing of theirs."""
        wanted = [hook for hook in self._hooks() if hook.gates and hook.wants_call(call.tool)]
        team = await self._team_of(call.session_id) if any(hook.team for hook in wanted) else ""
        asking = _Asking(call=call)
        gates = [_CallGate(hook, asking) for hook in wanted if hook.team in ("", team)]
        return asking.verdict(await self._bus.ask(CALL_GATE, _payload(call), also=gates))


def together(verdict: Verdict) -> tuple[str, str]:
    """(who, why) of a denial, as a model may read it; of several hooks, each reason under its name."""
    reasons = [(one.by, denied(one.text).reason or "") for one in verdict.reasons]
    by = ", ".join(dict.fromkeys(name for name, _ in reasons))
    if len(reasons) == 1:
        return by, reasons[0][1]
    return by, "\n".join(f"{name}: {reason}" for name, reason in reasons)


def _payload(call: GatedCall) -> dict[str, Json]:
    return {
        "tool": call.tool, "tool_call_id": call.call_id, "args": dict(call.arguments),
        "action": call.action, "resource": call.resource, "to": call.to,
    }  # fmt: skip
