"""Rows as the log gives them: the columns of a table that some event sets.

Named tuples, because the doctor compares them with the rows of a store by the hundred thousand.
The order of the fields is the order in which `store/sql/doctor.sql` reads the columns.
"""

from typing import NamedTuple


class Branch(NamedTuple):
    """An agent: where it stands, and the exact counters of its mailbox."""

    session: int
    parent: int | None
    head: int | None = None
    turn: int | None = None
    last_turn_state: str = ""
    paused_by: int | None = None
    mailbox_seq: int = 0
    n_steer: int = 0
    n_queue: int = 0
    n_notice: int = 0
    n_parked: int = 0
    n_cap: int = 0
    context_chars: int = 0
    sealed_from: int | None = None
    name_source: str = ""
    name_locked: int = 0
    name_count: int = 0
    turns: int = 0
    archived: int = 0
    merged_head: int | None = None
    rounds: int = 0
    """How many answers it has given."""
    resident: int = 0
    """Whether the process that was started last holds it in memory."""


class Delivery(NamedTuple):
    """One message at one recipient."""

    message: int
    branch: int
    sender: int | None
    kind: str
    mode: str
    seq: int
    state: str = "accepted"
    parked: int = 0
    attempts: int = 0
    turn: int | None = None
    node: int | None = None
    round: int | None = None
    reason: str = ""
    reverted: int = 0
    rounds_at: int = 0
    """How many answers its reader had given when it was accepted."""
    expires_us: int | None = None


class Turn(NamedTuple):
    """One run of an agent."""

    branch: int
    session: int
    trigger: str
    chain: int
    task: int | None
    state: str = "waiting"
    fence: int = 0
    end_reason: str = ""
    messages: int = 0
    generations: int = 0
    rounds: int = 0
    fan_out: int = 0
    stop_asks: int = 0
    answers: int | None = None
    lineage: int | None = None
    is_last: int = 0
    resumes: int = 0
    reviews: int = 0
    bus: int | None = None
    rounds_max: int = 0
    """Where a delivery has begun its rounds anew; 0: what it began with, which is not in the log."""
    extensions: int = 0


class Bus(NamedTuple):
    """The bus of a turn."""

    turn: int
    session: int
    seq: int = 0
    closed: int = 0


class Reader(NamedTuple):
    """An agent as it reads a bus."""

    bus: int
    branch: int
    address: str
    label: str
    ordinal: int
    opened_seq: int
    cursor_seq: int = 0
    entry: int = 0


class Task(NamedTuple):
    """A message whose answer is awaited."""

    dispatcher: int
    dispatcher_turn: int
    target: int
    parent: int | None
    state: str = "queued"
    outcome: str = ""
    cause: str = ""
    turn: int | None = None
    result_message: int | None = None
    made_agent: int = 1
    archives: int = 0


class Call(NamedTuple):
    """A tool call of a committed answer."""

    turn: int
    round: int
    position: int
    state: str = "open"
    ended_by: str = ""
    message: int | None = None
    delivery: int | None = None
    changed_by: str | None = None


class Wait(NamedTuple):
    """A call that waits for a task, for the person, or for its targets."""

    branch: int
    turn: int
    task: int | None
    ask: int | None = None
    kind: str = ""
    by_mail: int = 0
    since_pos: int | None = None
    targets: str = "[]"
    """A JSON list of [task, message, branch]."""


class Session(NamedTuple):
    """What a tree may do beyond its profiles; `overlay` is the JSON list that is stored."""

    mode: str = "ask"
    overlay: str = "[]"
    attended: int = 1
    deleted: int = 0
    last_active_us: int = 0
    """When a turn of one of its agents last opened or ended."""
    pruned: int = 0
    pruned_seq: int = 0
    """Up to which of its events its texts are gone."""


class Ask(NamedTuple):
    """What the person is asked."""

    kind: str
    root: int
    branch: int
    turn: int
    call: int
    action: str
    resource: str
    recipient: int | None
    tool: str
    due_us: int | None
    state: str = "open"
    decided_by: str = ""
    scope: str = ""
    message: int | None = None


class Grant(NamedTuple):
    """What the person has allowed for a tree."""

    root: int
    action: str
    resource: str
    recipient: int | None
    tool: str
    ask: int
    revoked: int = 0


class Goal(NamedTuple):
    """What a root agent has set out to do; its list is not in the log."""

    branch: int
    state: str = "active"
    reminders: int = 0
    message: int | None = None


class Todo(NamedTuple):
    """An entry of a board; its words are not in the log."""

    session: int
    number: int
    status: str
    owner: int
    blocked_by: str = "[]"


class Chain(NamedTuple):
    """What everything that grew out of one user turn has spent, and may spend."""

    turns: int = 0
    turns_max: int | None = None
    tokens: int = 0
    cost_micros: int = 0
    messages_max: int | None = None
    generations_max: int | None = None
    fan_out_max: int | None = None
    tokens_max: int | None = None
    cost_micros_max: int | None = None


class Producer(NamedTuple):
    """Work that outlived its call."""

    branch: int
    turn: int
    call: int
    state: str = "open"
    message: int | None = None


class Timer(NamedTuple):
    """A text of the person that waits for its time."""

    branch: int
    due_us: int
    state: str = "set"
    message: int | None = None


class Notice(NamedTuple):
    """What the person was told; its words are not in the log."""

    seen: int = 0


class Token(NamedTuple):
    """Who may call the API; neither its name nor its secret is in the log."""

    kind: str
    scope: str
    expires_us: int | None = None
    revoked: int = 0


class Spend(NamedTuple):
    """What an agent has cost in a chain on a day."""

    rounds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_micros: int = 0
    unpriced: int = 0


class Pair(NamedTuple):
    """The window of a directed pair, and what of it lies with the sender."""

    unacked: int = 0
    held: int = 0
