"""Bus events: what a process tells while it works, for hooks, programs, pages and the mirror.

They are not the record. The store's log is (`domain.event`, G12); most of these are derived from it after
the commit, and nothing is decided by whether somebody heard one. Only a gate is asked before something
is done, and may say no.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from postroom.domain.plain import Json

SUMMARY_CHARS_MAX: Final = 120
"""Characters of a message in a frame (systems.md 1.6)."""
TEXT_CHARS_MAX: Final = 4_000
"""Characters of an answer or a result in a payload (systems.md 1.14)."""


class BusKind(StrEnum):
    """What a type of event is for."""

    NOTIFY = "notify"  # told, after it has happened
    GATE = "gate"  # asked, before it happens


class Origin(StrEnum):
    """Who brought an event about."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    SYSTEM = "system"
    PROACTIVE = "proactive"  # the runtime by itself: a reminder of a goal, a text at its time


class EventType(NamedTuple):
    """One type of event that the bus knows."""

    kind: BusKind
    origin: Origin
    """Who brings it about, unless the event says otherwise."""
    payload: str
    """What its payload holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why one gate says no, in its own words."""

    by: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gates of an event said together: any reason denies."""

    reasons: tuple[Reason, ...] = ()
    duration_ms: float = 0.0
    subscribers: int = 0
    """How many gates there were, the skipped ones too."""

    @property
    def allowed(self) -> bool:
        """Whether no gate minds."""
        return not self.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class BusEvent:
    """One event. `payload` and `metadata` are plain JSON and must not be changed."""

    id: str
    ts_us: int
    type: str
    origin: Origin
    payload: Mapping[str, Json] = field(default_factory=dict[str, Json])
    metadata: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Where it happened: `session_id`, `branch_id`, `turn_id`, `agent`, as far as it has them."""
    verdict: Verdict | None = None
    """What became of it, if it was asked."""

    def record(self) -> dict[str, Json]:
        """The event as hooks read it and as the mirror keeps it; `id` comes first."""
        record: dict[str, Json] = {
            "id": self.id, "ts_us": self.ts_us, "type": self.type, "origin": str(self.origin),
            "payload": dict(self.payload), "metadata": dict(self.metadata),
        }  # fmt: skip
        if (verdict := self.verdict) is not None:
            record["verdict"] = {
                "allowed": verdict.allowed, "duration_ms": verdict.duration_ms,
                "reasons": [{"by": reason.by, "text": reason.text} for reason in verdict.reasons],
                "subscribers": verdict.subscribers,
            }  # fmt: skip
        return record


class Draft(NamedTuple):
    """An event that somebody is about to tell."""

    type: str
    payload: Mapping[str, Json]
    metadata: Mapping[str, Json]
    ts_us: int
    origin: Origin | None = None
    """`None`: that of its type."""


_NOTIFY, _GATE = BusKind.NOTIFY, BusKind.GATE
_USER, _AGENT, _TOOL, _SYSTEM = Origin.USER, Origin.AGENT, Origin.TOOL, Origin.SYSTEM

EVENT_TYPES: Final[Mapping[str, EventType]] = {
    "session.start": EventType(_NOTIFY, _USER, "session_id, agent, parent_session_id"),
    "session.end": EventType(_NOTIFY, _USER, "session_id: it was deleted"),
    "user.prompt_submitted": EventType(_NOTIFY, _USER, "text (≤ 4,000), message_id, mode"),
    "turn.start": EventType(_NOTIFY, _AGENT, "trigger, task_id, given_in_turn_id: whose turn gave the task"),
    "turn.stop": EventType(
        _GATE, _AGENT, "last_text (≤ 4,000), stop_hook_active: whether the turn was asked about before"
    ),
    "turn.end": EventType(_NOTIFY, _AGENT, "state, reason, usage (rounds, *_tokens, cost_micros)"),
    "chat.before_send": EventType(_NOTIFY, _AGENT, "model, items, tools: a request is about to go out"),
    "model.response_started": EventType(_NOTIFY, _AGENT, "round: the first text of an answer is here"),
    "model.response_completed": EventType(
        _NOTIFY, _AGENT, "round, calls, input_tokens, output_tokens: nothing of it is durable yet"
    ),
    "tool.before": EventType(_GATE, _AGENT, "tool, tool_call_id, args, action, resource, to"),
    "tool.after": EventType(
        _NOTIFY, _TOOL, "tool, tool_call_id, args, is_error, result_text (≤ 4,000), ended_by"
    ),
    "branch.message_sent": EventType(_NOTIFY, _AGENT, "from, to, message_id, kind, mode"),
    "branch.message_replied": EventType(_NOTIFY, _AGENT, "from, to, message_id, kind, mode"),
    "branch_message": EventType(
        _NOTIFY, _AGENT, "frame of the session: session_id, kind (sent, replied), peer, summary (≤ 120)"
    ),
    "branches_list": EventType(_NOTIFY, _SYSTEM, "frame: session_id, branch_id, change, name"),
    "subagent.started": EventType(_NOTIFY, _AGENT, "task_id, agent, branch_id, session_id, description"),
    "subagent.ended": EventType(
        _NOTIFY, _AGENT, "task_id, agent, branch_id, session_id, state, outcome, cause"
    ),
    "task_status": EventType(
        _NOTIFY, _SYSTEM, "frame: task_id, status, outcome, description, session_id, target (branch)"
    ),
    "agents.listed": EventType(_NOTIFY, _AGENT, "sessions, branches: how many an agent was shown"),
    "goal.update": EventType(_NOTIFY, _AGENT, "goal_id, state, text, items, done, reminders"),
    "question.asked": EventType(_NOTIFY, _AGENT, "ask_id, question (≤ 4,000)"),
    "context.compacted": EventType(_NOTIFY, _SYSTEM, "branch_id, chars: what the context holds after it"),
    "context.compaction_recommended": EventType(
        _NOTIFY, _SYSTEM, "branch_id, why: a summary is about to be asked for"
    ),
    "plugin.enable": EventType(_NOTIFY, _SYSTEM, "plugin"),
    "plugin.disable": EventType(_NOTIFY, _SYSTEM, "plugin"),
}
"""Every type that is told or asked somewhere, and no other; a test compares them with the source."""
