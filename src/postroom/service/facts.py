"""What a transaction needs to know of an agent's profile, and what it asks the runtime to do after.

Profiles live in files, not in the store, so the transaction is handed a `Directory` that looks them
up in memory. The tool list of a turn is fixed when the turn starts and stored with it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from postroom.domain.keys import BranchKey, CallKey, ProducerKey, TurnKey
from postroom.rules.compaction import ONLY_IF_OVER, is_due
from postroom.rules.permissions import Effect, Rule, Rules, decide, effective, strictness, visible
from postroom.rules.text import CHARS_PER_TOKEN

RESERVE_FRACTION = 10
"""A tenth of the window is never filled with mail (product.md, Window and compaction)."""


class ToolRight(NamedTuple):
    """What a tool needs in order to be shown: a right to the action, on any of the resources.

    Without an action it is always shown; without a list of resources any rule that lets something through
    shows it.
    """

    tool: str
    action: str = ""
    resources: tuple[str, ...] | None = None
    chars: int = 0
    """What its schema takes of every request."""
    spends: bool = False
    """It is of no use once the messages of a path are spent: then it is not shown (OP-64)."""
    repeats: bool = False
    """Whether a call that a host's death has cut may be made again: nothing is done twice by that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """One profile as the service reads it."""

    profile: str
    model: str = ""
    """As the profile names it; it stands beside every answer that it gives."""
    own: tuple[Rule, ...] = ()
    """The profile's rules."""
    shipped: tuple[Rule, ...] = ()
    """What the surface ships: it decides where no rule of the profile matches."""
    ceilings: tuple[tuple[Rule, ...], ...] = ()
    """The person's rules for every agent, from the settings: they narrow and never widen."""
    limits: tuple[tuple[Rule, ...], ...] = ()
    """What the agents that made it may do; what one of them is not allowed is denied here, too."""
    shows: tuple[ToolRight, ...] = ()
    """Every tool that a turn may get, in the order in which a model is told of them."""
    tools: str = "[]"
    """JSON list of the tool names that a turn gets: all of `shows` that its rights let through."""
    exposes_mail: bool = False
    """Whether `send_tool` is among them."""
    send_tool: str = "send_message"
    """The tool by which its surface writes to others; an envelope shows how to reply where it is there."""
    never_auto_approve: frozenset[str] = frozenset()
    """Actions and tools for which only the person gives leave, and no model."""
    rounds_max: int | None
    window_tokens: int
    reserve_tokens: int
    """What the answer may take, and a tenth of the window: never filled with mail."""
    compact_percent: int = 0
    """How much of the room may be taken before a boundary asks for a summary; 0: none is ever made;
    `ONLY_IF_OVER`: not before no request would hold the context."""
    elsewhere: Mapping[str, "AgentFacts"] = field(default_factory=dict[str, "AgentFacts"])
    """The same agent on surfaces that are not its team's: sessions keep the one that they were made with."""

    def on(self, surface: str) -> "AgentFacts":
        """The same agent in a session of a surface."""
        return self.elsewhere.get(surface, self)

    @property
    def room_chars(self) -> int:
        """Characters that a request may hold."""
        return (self.window_tokens - self.reserve_tokens) * CHARS_PER_TOKEN

    def is_over(self, context_chars: int) -> bool:
        """Whether even a request that leaves nothing but the answer free would not hold such a context."""
        return context_chars > self.room_chars + self.window_tokens * CHARS_PER_TOKEN // RESERVE_FRACTION

    def is_full(self, context_chars: int) -> bool:
        """Whether a summary is due before anything is added to such a context."""
        if self.compact_percent == ONLY_IF_OVER:
            return self.is_over(context_chars)
        return is_due(context_chars, self.room_chars, self.compact_percent)

    def effect(self, overlay: Rules, action: str, resource: str) -> Effect:
        """What the rights of a turn say of one deed, under the overlay of its tree."""
        effect = effective(self.own, (*self.ceilings, overlay), action, resource, self.shipped)
        for rules in self.limits:
            effect = max(effect, decide(rules, action, resource), key=strictness)
        return effect

    def seen(
        self, overlay: Rules, also: frozenset[str] = frozenset(), *, is_spent: bool = False
    ) -> "AgentFacts":
        """The same with the tools of this moment; `also` names actions that need no rule now.

        `is_spent`: the messages of the turn's path are spent when it starts. A turn keeps what it was given
        when it started; what a call may do is decided when it is made.
        """
        useful = (right for right in self.shows if not (is_spent and right.spends))
        shown = [right for right in useful if self._shows(right, overlay, also)]
        names = [right.tool for right in shown]
        reserve = self.reserve_tokens + sum(right.chars for right in shown) // CHARS_PER_TOKEN
        return replace(
            self, tools=json.dumps(names), exposes_mail=self.send_tool in names, reserve_tokens=reserve
        )

    def _shows(self, right: ToolRight, overlay: Rules, also: frozenset[str]) -> bool:
        if not right.action or right.action in also:
            return True
        if right.resources is None:
            limits = (*self.ceilings, overlay)
            return all(visible(rules, limits, right.action) for rules in (self.own, *self.limits))
        return any(self.effect(overlay, right.action, one) is not Effect.DENY for one in right.resources)


Directory: TypeAlias = Callable[[str, str], AgentFacts | None]
"""(team, profile) -> its facts, or nothing when the profile is not there any more."""


class Pool(StrEnum):
    """Whose slots a turn shares."""

    TREE = "tree"
    PROCESS = "process"
    NONE = "none"  # the person's own text opens it: it stands in no line


class Waiting(NamedTuple):
    """A turn that waits for a slot."""

    turn: TurnKey
    branch: BranchKey
    root: int
    concurrency: int
    pool: Pool = Pool.TREE


@dataclass(slots=True)
class Ring:
    """What the runtime should look at after the commit. A hint: losing it costs time, never mail."""

    woken: list[Waiting] = field(default_factory=list[Waiting])
    stopping: list[TurnKey] = field(default_factory=list[TurnKey])
    """Stopped turns whose tools get time to end: their runners end them."""
    ended: list[TurnKey] = field(default_factory=list[TurnKey])
    """Turns ended from outside: their runners are to be cancelled."""
    halted: list[ProducerKey] = field(default_factory=list[ProducerKey])
    """Work of stopped agents and cancelled turns: whoever does it is to end it and say so."""
    answered: list[TurnKey] = field(default_factory=list[TurnKey])
    """Suspended turns in which an awaited task has ended."""
    decided: list[tuple[TurnKey, CallKey]] = field(default_factory=list[tuple[TurnKey, CallKey]])
    """Calls whose ask has ended. A turn may wait for many: naming it alone would make each of them look."""
    retiring: list[BranchKey] = field(default_factory=list[BranchKey])
    """Agents that are to be archived now that their task has ended."""
    unnamed: list[TurnKey] = field(default_factory=list[TurnKey])
    """Turns that have ended, after which a model names their branch."""
    due_us: int | None = None
    """Wall time at which something durable is due."""

    def take(self, other: "Ring") -> None:
        """Look at what the other names, too."""
        self.woken += other.woken
        self.stopping += other.stopping
        self.ended += other.ended
        self.halted += other.halted
        self.answered += other.answered
        self.decided += other.decided
        self.retiring += other.retiring
        self.unnamed += other.unnamed
        self.due_us = other.due_us if self.due_us is None else self.due_us
