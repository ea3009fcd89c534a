"""What `why` shows: plain values, linked by the ids that people and programs are given.

Every link stands at both of its ends, so that following them reaches everything that hangs together.
The sentence below each field is its documentation (docs/reference/why.md is made of them).
"""

from dataclasses import dataclass

from postroom.observe.why.parts import (
    Asked,
    Called,
    GoalStep,
    Granted,
    Read,
    Sent,
    SideCall,
    Spent,
    Step,
    Tasked,
    Who,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageWhy:
    """A message from its sender to what became of it."""

    message_id: str
    """its id"""
    kind: str
    """`user`, `prompt`, `mail`, `result`, `notice`, `plugin` or `goal`"""
    mode: str
    """`steer` or `queue`"""
    sender: Who
    """who sent it; with `person` and a name, the person sent again what that agent wrote"""
    turn_id: str
    """the turn in which it was written; empty for what no turn wrote"""
    call_id: str
    """the call that sent it, or that began the work whose end it tells"""
    to: Who
    """its recipient; of a group send the first one"""
    also_to: tuple[Who, ...]
    """its further recipients"""
    selector: str
    """what it was written to on the bus of a turn: an address, a label or `everyone`; empty elsewhere"""
    written_us: int
    """when it was written and accepted, in microseconds of wall time"""
    body: str
    """the beginning of the text; `postroom show` prints all of it"""
    body_bytes: int
    """how long the text is"""
    receipt: str
    """how the recipient stood, as the sender was told: `running`, `waking_finished` or `queued`"""
    asks: tuple[Asked, ...]
    """what was asked for its call, oldest first"""
    grants: tuple[Granted, ...]
    """leave for the whole tree that covered it when it was sent"""
    state: str
    """`accepted`, `parked`, `claimed`, `consumed` or `discarded`"""
    reason: str
    """why it was discarded"""
    life: tuple[Step, ...]
    """what happened to it, oldest first"""
    chain: int
    """the number of the chain that it belongs to"""
    messages: int
    """how many messages deep its path is"""
    generations: int
    """how many generations of agents deep its path is"""
    under_task_id: str
    """the task that its sender worked on"""
    answers_id: str
    """the message that it answers, tells of, or repeats"""
    answered_by: tuple[Sent, ...]
    """the messages that answer it, tell of it, or repeat it"""
    task: Tasked | None
    """the task that it gives; null for all but tasks"""
    goal_id: str
    """the goal that it reminds of"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWhy:
    """A turn: what opened it, what it read and did, how it ended."""

    turn_id: str
    """its id"""
    agent: Who
    """whose turn it is"""
    trigger: str
    """`user`, `mail`, `task`, `plugin` or `resume`"""
    previous_id: str
    """the turn that the agent had before"""
    next_id: str
    """the turn that the agent had after it"""
    state: str
    """`waiting`, `running`, `suspended`, `finished`, `failed`, `cancelled`, `stopped` or `interrupted`"""
    end_reason: str
    """why it ended"""
    cancelled_by: Who | None
    """who ended it, when somebody did"""
    cancelled_call_id: str
    """by which call, when an agent did"""
    opened_us: int
    """when it began to wait for its place"""
    started_us: int | None
    """when it began to run"""
    ended_us: int | None
    """when it ended"""
    chain: int
    """the number of the chain that paid for it"""
    messages: int
    """how many messages deep its path is"""
    generations: int
    """how many generations of agents deep its path is"""
    task_id: str
    """the task that it ran"""
    result_id: str
    """the message that reported the end of that task"""
    read: tuple[Read, ...]
    """what opened it, then what joined it"""
    calls: tuple[Called, ...]
    """its calls, in the order of the model, those that were refused among them"""
    sent: tuple[Sent, ...]
    """the messages that it sent"""
    tasks: tuple[Tasked, ...]
    """the tasks that it gave"""
    asks: tuple[Asked, ...]
    """what the person was asked in it"""
    side_calls: tuple[SideCall, ...]
    """its side calls"""
    goals: tuple[GoalStep, ...]
    """what it changed in the goal"""
    spent: Spent
    """what it cost"""
    text: str
    """the beginning of its newest answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A step on the way back to whoever began it all."""

    message_id: str
    """the message that opened the turn before"""
    kind: str
    """its kind"""
    sender: Who
    """who sent it"""
    turn_id: str
    """the turn in which it was written; empty at the end of the way"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The whole view of one thing. What it is not about is null."""

    what: str
    """`message`, `turn`, `call` or `ask`"""
    message: MessageWhy | None = None
    """the message that was asked for"""
    turn: TurnWhy | None = None
    """the turn that was asked for; of a message the turn that read it last, of a call the one that made it"""
    call: Called | None = None
    """the call that was asked for; of an ask the call that waited for it"""
    ask: Asked | None = None
    """the ask that was asked for"""
    because: tuple[Cause, ...] = ()
    """the way back, nearest first: each message was sent in the turn that the next one opened"""
