"""What hooks are asked of a call that the rules let through, and what they may say.

Hooks narrow: they may say no, or put other arguments in the place of the model's. They never give a
right: changed arguments are judged again by whoever asked the gate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from postroom.domain.plain import Json
from postroom.service.rights import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedCall:
    """One call, as a hook sees it before it is made. The caller is the executing turn (G5)."""

    session_id: str
    branch_id: str
    turn_id: str
    call_id: str
    agent: str
    tool: str
    arguments: Mapping[str, Json]
    action: str = ""
    """What the call needs a right to; empty: nothing."""
    resource: str = ""
    """What the action is done to, as the rules read it."""
    to: str | None = None
    """The recipient that the arguments name."""
    body: str = ""
    """What would be written or done, as the person would be asked."""
    reread: Callable[[Mapping[str, Json]], Wish | None] = lambda _: None
    """What other arguments would ask for: the next hook sees the facts of the call as it is by then."""

    def changed(self, arguments: Mapping[str, Json]) -> Self:
        """The same call with other arguments, and with the facts that these give."""
        wish = self.reread(arguments) or Wish(tool=self.tool, action=self.action)
        return replace(
            self, arguments=arguments, action=wish.action, resource=wish.resource, to=wish.to, body=wish.body
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFailure:
    """A hook that gave no valid answer, and what happened instead, in one sentence."""

    hook: str
    code: str
    """`hook_timed_out`, `hook_failed` or `hook_answer_invalid`."""
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """What the hooks made of one call."""

    allowed: bool = True
    reason: str = ""
    """Why not, in the hooks' words: the model reads it."""
    arguments: Mapping[str, Json] | None = None
    """The arguments to use instead; `None`: the model's own."""
    hook: str = ""
    """Who denied; else who changed the arguments; several names with a comma between."""
    denied_by: tuple[str, ...] = ()
    """Each hook that denied, in the order in which they were asked."""
    failed: tuple[HookFailure, ...] = ()
    """Failures in the order in which they happened."""
