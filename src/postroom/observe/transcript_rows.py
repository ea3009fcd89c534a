"""What a transcript is made of: a type for each kind of row, plain values, the same live and after a reload.

Every row has an id that stays the same while it changes, and says whose words it shows. Texts are cut; what
is missing is counted, and is read whole by the id of its message, its item or its call.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from postroom.observe.transcript_parts import CallView, ChainView, Letter, Reached, Speaker, UnreadText, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What every row has."""

    id: str
    ts_us: int
    turn_id: str
    provenance: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemRow(_Row):
    """What shows an item of the conversation."""

    node_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _BesideRow(_Row):
    """What may stand beside the conversation, with no item of its own."""

    node_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow(_ItemRow):
    """What the person wrote, as it entered the conversation."""

    kind: Literal["text"]
    parts: tuple[Letter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow(_ItemRow):
    """What the agent said in one round, and what that cost."""

    kind: Literal["answer"]
    round: int
    text: str
    missing_chars: int
    model: str
    """As the profile names it; of older answers the provider alone, and nothing where a script gave them."""
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cost_micros: int | None
    """Without a value nobody knows the price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsRow(_ItemRow):
    """The calls of one answer."""

    kind: Literal["calls"]
    round: int
    calls: tuple[CallView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailInRow(_ItemRow):
    """Mail as it entered the conversation; what entered in one item is there part by part."""

    kind: Literal["mail_in"]
    parts: tuple[Letter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailOutRow(_BesideRow):
    """A message that the agent sent, or that answered for it at the end of a turn."""

    kind: Literal["mail_out"]
    what: Literal["sent", "replied"]
    message_id: str
    message_kind: str
    mode: str
    summary: str
    text: str
    missing_chars: int
    pruned_bytes: int | None
    """How long a text was that is gone because its conversation is over; null while it is there."""
    pruned_sha256: str
    """The SHA-256 of that text; empty while it is there."""
    selector: str
    call_id: str
    outcome: str
    """How the work ended whose end it tells; empty where it tells of none."""
    code: str
    """Why that work failed; such a message may have no text."""
    to: tuple[Reached, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnRow(_ItemRow):
    """An agent at work for this one: the card of a task, as it stands now."""

    kind: Literal["spawn"]
    call_id: str
    task_id: str
    message_id: str
    agent: Speaker
    profile: str
    made_agent: bool
    """Whether the agent was made for the task."""
    background: bool
    description: str
    task_state: str
    status: Literal["waiting", "running", "paused", "done", "failed", "cancelled"]
    outcome: str
    cause: str
    tokens: int
    cost_micros: int
    preview: str
    """The beginning of what it said last."""
    ended_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseReportRow(_BesideRow):
    """The record of a bus that has closed with its turn."""

    kind: Literal["close_report"]
    sentence: str
    """What the person is told; empty where everything was read, and where the person ended the turn."""
    read: int
    """How many messages of agents were read."""
    undelivered: tuple[UnreadText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRow(_ItemRow):
    """What the runtime put into the conversation by itself."""

    kind: Literal["notice"]
    code: str
    text: str
    missing_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow(_ItemRow):
    """A summary; later requests begin with it."""

    kind: Literal["summary"]
    text: str
    missing_chars: int
    covers: int
    """For how many texts and answers it stands."""
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEndRow(_BesideRow):
    """How a turn ended."""

    kind: Literal["turn_end"]
    trigger: str
    state: str
    code: str
    cause: str
    remedy: str
    """What to do about a failure."""
    rounds: int
    budget: ChainView | None
    """The chain, where its budget is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRow(_BesideRow):
    """A message that lies unread and stands nowhere in the conversation yet."""

    kind: Literal["waiting"]
    letter: Letter


Row: TypeAlias = (
    TextRow | AnswerRow | CallsRow | MailInRow | MailOutRow | SpawnRow | CloseReportRow | NoticeRow
    | SummaryRow | TurnEndRow | WaitingRow
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """What an agent does now."""

    what: Literal["", "model", "calls", "waits"]
    tools: tuple[str, ...]
    waits_for: tuple[str, ...]
    """Names of agents; the person is `user`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The agent whose transcript it is."""

    name: str
    address: str
    branch_id: str
    session_id: str
    root_session_id: str
    profile: str
    title: str
    state: str
    doing: Doing
    turn_id: str
    """The turn that waits or runs; empty where none does."""
    rounds: int
    unread: int
    parked: int
    mode: str
    attended: bool
    tokens: int
    cost_micros: int
    chain: ChainView | None
    """That of the newest turn."""
    archived: bool
    pruned: bool
    """Whether the texts of its session are gone because it is over."""
    sealed: bool
    """Whether it is a path that a revert has left: readable and forkable, and never run."""
    made_by: Speaker | None
    """The agent whose call made it; of a path that a revert has left the agent that went back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptView:
    """A page of a transcript, oldest row first."""

    agent: Heading
    rows: list[Row]
    older: int | None
    """`before` for the page in front of this one; without a value the conversation begins here."""
    head: int
    """The newest item of the conversation, 0 where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeText:
    """The whole text of one item that no message holds."""

    node_id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """The facts of one turn."""

    turn_id: str
    agent: Speaker
    trigger: str
    state: str
    code: str
    cause: str
    remedy: str
    rounds: int
    rounds_max: int
    opened_us: int
    ended_us: int | None
    task_id: str
    chain: ChainView | None
