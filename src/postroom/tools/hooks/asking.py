"""All hooks of a room as one gate: asked one after the other, each sees what the one before it made."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from postroom.profiles.hook_settings import OnFailure
from postroom.tools.hooks.gate import GatedCall, GateVerdict, HookFailure
from postroom.tools.hooks.hook import Hook

TeamOf = Callable[[str], Awaitable[str]]
"""The folder of a session's team."""


@dataclass(slots=True, kw_only=True)
class _Asking:
    """One call on its way through the hooks."""

    call: GatedCall
    by: list[str] = field(default_factory=list[str])
    failed: list[HookFailure] = field(default_factory=list[HookFailure])

    def allowed(self) -> GateVerdict:
        arguments = self.call.arguments if self.by else None
        hook = ", ".join(dict.fromkeys(self.by))
        return GateVerdict(arguments=arguments, hook=hook, failed=tuple(self.failed))

    def denied(self, hook: str, reason: str) -> GateVerdict:
        return GateVerdict(allowed=False, reason=reason, hook=hook, failed=tuple(self.failed))


class HookGate:
    """The gate of a room. `hooks` gives them in the order in which they are asked."""

    def __init__(self, hooks: Callable[[], Sequence[Hook]], team_of: TeamOf) -> None:
        self._hooks = hooks
        self._team_of = team_of

    @property
    def is_idle(self) -> bool:
        """Whether no hook would look at any call."""
        return not any(hook.gates for hook in self._hooks())

    async def before_call(self, call: GatedCall) -> GateVerdict:
        """Ask every hook that wants this tool; the first that denies ends it. Raises nothing of theirs."""
        wanted = [hook for hook in self._hooks() if hook.gates and hook.wants_call(call.tool)]
        asking = _Asking(call=call)
        if not wanted:
            return asking.allowed()
        team = await self._team_of(call.session_id) if any(hook.team for hook in wanted) else ""
        for hook in wanted:
            if hook.team in ("", team) and (verdict := await _ask(hook, asking)) is not None:
                return verdict
        return asking.allowed()


async def _ask(hook: Hook, asking: _Asking) -> GateVerdict | None:
    """Ask one hook; a verdict only when it ends the asking."""
    answer = await hook.ask(asking.call)
    if isinstance(answer, HookFailure):
        asking.failed.append(answer)
        if hook.on_failure is OnFailure.DENY:
            return asking.denied(hook.name, f"the hook failed: {answer.what}")
        return None
    if answer.reason is not None:
        return asking.denied(hook.name, answer.reason)
    if answer.arguments is not None and answer.arguments != asking.call.arguments:
        asking.call = asking.call.changed(answer.arguments)
        asking.by.append(hook.name)
    return None
