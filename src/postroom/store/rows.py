"""Rows as the joined reads give them: named tuples, because accept is made of them."""

from collections.abc import Sequence
from typing import NamedTuple

from postroom.domain.chain import Chain, ChainLimits
from postroom.domain.keys import (
    BranchKey,
    BusKey,
    CallKey,
    ChainKey,
    DeliveryKey,
    MessageKey,
    NodeKey,
    PolicyKey,
    SessionKey,
    TurnKey,
)
from postroom.domain.message import Delivery, HeldFor, Kind, Mode, State


class SenderRow(NamedTuple):
    """The executing turn behind a call."""

    call_state: str
    call_message: MessageKey | None
    turn_state: str
    fence: int
    turn: TurnKey
    chain: ChainKey
    messages: int
    generations: int
    task: MessageKey | None
    """The task under which it runs."""
    branch: BranchKey
    parent_branch: BranchKey | None
    profile: str
    session: SessionKey
    root: SessionKey
    public_id: str
    handle: str | None
    policy: PolicyKey
    depth: int
    team: str
    cwd: str
    mode: str
    overlay: str
    branch_id: str
    limits: str
    """Rights of the agents that made it, as JSON."""
    fan_out: int
    """How many agents its turn has made."""
    is_active: int
    """Whether its session's id means this agent."""
    turns: int
    tokens: int
    cost_micros: int
    turns_max: int | None
    messages_max: int | None
    generations_max: int | None
    fan_out_max: int | None
    tokens_max: int | None
    cost_micros_max: int | None

    @property
    def chain_now(self) -> Chain:
        """The totals and limits of its chain."""
        most = ChainLimits(
            self.turns_max, self.messages_max, self.generations_max, self.fan_out_max, self.tokens_max,
            self.cost_micros_max,
        )  # fmt: skip
        return Chain(self.turns, self.tokens, self.cost_micros, most)


class RecipientRow(NamedTuple):
    """A branch as accept needs it: its counters, its turn, the window of the pair."""

    branch: BranchKey
    parent_branch: BranchKey | None
    turn: TurnKey | None
    last_turn_state: str
    paused_by: BranchKey | None
    mailbox_seq: int
    n_steer: int
    n_queue: int
    n_notice: int
    n_parked: int
    n_cap: int
    profile: str
    session: SessionKey
    root: SessionKey
    public_id: str
    policy: PolicyKey
    team: str
    turn_state: str | None
    unacked: int | None
    handle: str | None
    branch_id: str
    name: str
    archived_us: int | None
    is_active: int
    """Whether its session's id means this agent."""
    rounds: int
    """How many answers it has given."""
    held: int | None
    """Messages of the pair that lie with the sender."""
    resident_epoch: int
    """Which start of a process held it in memory last; -1 when it was let go, or never was there."""

    @property
    def n_waiting(self) -> int:
        """How many messages of any kind wait in its mailbox."""
        return self.n_steer + self.n_queue + self.n_notice + self.n_parked


class Mail(NamedTuple):
    """A delivery with what a node of it needs: sender's address, body, facts."""

    delivery: Delivery
    sender_address: str
    body: str
    facts: str
    written_us: int = 0
    answers: MessageKey | None = None
    """The message that it answers, or tells of."""
    rounds_at: int = 0
    """How many answers its reader had given when it was accepted."""


class Held(NamedTuple):
    """A message that lies with its sender: the delivery, its text, and who sends it by which call."""

    delivery: Delivery
    body: str
    call: CallKey
    turn: TurnKey
    profile: str
    """As whom the recipient is to run; empty: as itself."""
    tool: str
    """By which it was sent."""
    session: SessionKey
    """The sender's."""
    why: HeldFor
    """Why it lies there."""

    @property
    def sender(self) -> BranchKey:
        """Who sends it: a call does, so it is an agent."""
        assert self.delivery.sender is not None  # noqa: S101 -- see above
        return self.delivery.sender


class TurnRow(NamedTuple):
    """A turn with the facts of its branch and session."""

    turn: TurnKey
    public_id: str
    branch: BranchKey
    session: SessionKey
    root: SessionKey
    state: str
    fence: int
    chain: ChainKey
    task: MessageKey | None
    messages: int
    generations: int
    rounds: int
    rounds_max: int
    tools: str
    profile: str
    team: str
    policy: PolicyKey
    session_id: str
    handle: str | None
    cwd: str
    branch_id: str
    context_chars: int
    trigger: str
    answers: MessageKey | None
    lineage: MessageKey | None
    stop_asks: int
    limits: str
    is_last: int
    """Whether only an answer without tools is left to it."""
    resumes: int
    """How often in a row a process has gone on with it."""
    reviews: int
    """How many of its calls reviewers have let through."""
    resident_epoch: int
    """As that of a recipient."""
    bus: BusKey | None
    """On which its agent writes and reads, where mail lives for one turn."""
    extensions: int
    """How often a delivery has begun its rounds anew."""


class CallRow(NamedTuple):
    """One call of a round with its result."""

    call: int
    position: int
    tool: str
    result: str | None
    is_error: int
    state: str
    result_delivery: DeliveryKey | None
    images: str | None
    changed_by: str | None


class SentRow(NamedTuple):
    """A message that a client id or a call already names."""

    message: MessageKey
    public_id: str
    body: str
    mode: str
    recipient: BranchKey
    recipient_state: str
    state: str
    number: int
    reason: str
    """Why it is held, or was discarded."""


class PeerRow(NamedTuple):
    """One agent of a tree, for candidate lists."""

    handle: str | None
    title: str
    public_id: str
    branch: BranchKey
    parent_branch: BranchKey | None
    status: str


def mail(row: tuple[object, ...]) -> Mail:
    """A joined delivery row as a delivery with its text."""
    *columns, address, body, facts, written_us, answers, rounds_at = row
    answered = None if answers is None else MessageKey(_int(answers))
    return Mail(
        delivery(columns), str(address), str(body), str(facts), _int(written_us), answered, _int(rounds_at)
    )


def held(row: tuple[object, ...]) -> Held:
    """A joined delivery row as a message that lies with its sender."""
    *columns, body, call, turn, profile, tool, session, why = row
    return Held(
        delivery(columns), str(body), CallKey(_int(call)), TurnKey(_int(turn)), str(profile), str(tool),
        SessionKey(_int(session)), HeldFor(str(why)),
    )  # fmt: skip


def delivery(row: Sequence[object]) -> Delivery:
    """A delivery row with the path numbers of its message."""
    key, message, recipient, sender, kind, mode, state, seq, *rest = row
    chain, messages, generations, attempts, parked, owes, turn, node = rest
    return Delivery(
        key=DeliveryKey(_int(key)),
        message=MessageKey(_int(message)),
        recipient=BranchKey(_int(recipient)),
        sender=None if sender is None else BranchKey(_int(sender)),
        kind=Kind(str(kind)),
        mode=Mode(str(mode)),
        state=State(str(state)),
        seq=_int(seq),
        chain=ChainKey(_int(chain)),
        messages=_int(messages),
        generations=_int(generations),
        attempts=_int(attempts),
        parked=bool(parked),
        owes=bool(owes),
        turn=None if turn is None else TurnKey(_int(turn)),
        node=None if node is None else NodeKey(_int(node)),
    )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value
