"""The small values of which `why` is made: who, steps, calls, asks, tasks, what was read and spent.

The sentence below each field is its documentation (docs/reference/why.md is made of them).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Who did something, or for whom it was."""

    by: str
    """`person`, `agent`, `plugin` or `system`; `bus` where nobody has taken a message from there"""
    name: str = ""
    """the agent's handle or name (its profile, when it has neither), the plugin's, or what was written to"""
    session_id: str = ""
    """the agent's session"""
    branch_id: str = ""
    """the agent's branch; `SESSION:BRANCH` names it alone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step in the life of a message with its recipient."""

    at_us: int
    """when, in microseconds of wall time"""
    what: str
    """`accepted`, `claimed`, `released`, `parked`, `unparked`, `consumed`, `discarded` or `reverted`"""
    turn_id: str = ""
    """the turn that claimed, released or consumed it"""
    round: int | None = None
    """the round of that turn: whose request it entered, or whose answer consumed it"""
    call_id: str = ""
    """the call whose result it became, when it entered the conversation in that way"""
    reason: str = ""
    """why it was discarded"""
    to: Who | None = None
    """the recipient whose step it is"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """Leave that the person has given for a whole tree."""

    grant: int
    """its number"""
    ask_id: str
    """the ask that it was given for"""
    given_us: int
    """since when it holds"""
    revoked_us: int | None
    """until when it held; null while it holds"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the person was asked, and what came of it."""

    ask_id: str
    """its id"""
    kind: str
    """`approval` or `question`"""
    agent: Who
    """who asks"""
    turn_id: str
    """the turn that waits, or waited"""
    call_id: str
    """the call that waits, or waited"""
    action: str
    """what is to be done: `message`, `delegate`, `read`, `write`, `shell`, `mcp`; `ask` for a question"""
    resource: str
    """to what, as rules name it"""
    tool: str
    """by which tool"""
    to: Who | None
    """the recipient, when a message is to be sent"""
    text: str
    """the beginning of what is to be sent, or of the question"""
    options: tuple[str, ...]
    """the answers that a question offers"""
    state: str
    """`open`, `approved`, `denied`, `expired`, `withdrawn` or `answered`"""
    by: str
    """who decided: `person`, `classifier`, `reviewers`, `time`, `system`, or the mode of the tree"""
    scope: str
    """`once` or `tree`, of an approval"""
    answer: str
    """the beginning of the answer, or of the reason of a denial"""
    requested_us: int
    """when it was asked"""
    due_us: int | None
    """when it ends undecided; null: never"""
    decided_us: int | None
    """when it was decided"""
    grants: tuple[Granted, ...]
    """what was allowed for the whole tree by it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooked:
    """What a hook decided on a call."""

    hook: str
    """its name"""
    verdict: str
    """`deny` or `failed`"""
    code: str
    """how it failed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One call of a tool."""

    call_id: str
    """its id, `c_TURN_ROUND_POSITION` in numbers"""
    turn_id: str
    """the turn that made it"""
    round: int
    """in which round"""
    tool: str
    """which tool"""
    arguments: str
    """the beginning of the arguments, as the model wrote them"""
    changed_arguments: str
    """the beginning of those that a hook put in their place; empty when none did"""
    changed_by: str
    """the hook that did"""
    outcome: str
    """`ok`, `error`, the code of a refusal, `cancelled`, `stopped`, `interrupted`, `not_executed`,
    `over_budget`, `failed`, or while it has not ended `waits` or `open`"""
    hooks: tuple[Hooked, ...]
    """hooks that denied it, or failed over it"""
    ask_ids: tuple[str, ...]
    """what the person was asked for it"""
    message_id: str
    """the message that it sent; of a delegation, the task"""
    awaits_id: str
    """the task that it waited for"""
    returned_id: str
    """the message that its result is"""
    work_id: str
    """the message that told the end of the work it began"""
    cancelled_ids: tuple[str, ...]
    """the task and the turn that it ended"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message as somebody else's view names it."""

    message_id: str
    """its id"""
    kind: str
    """its kind"""
    to: Who
    """its recipient"""
    state: str
    """how it stands with the recipient"""
    call_id: str
    """the call that sent it; empty when the runtime did"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasked:
    """A task: its id is that of the message that gave it."""

    task_id: str
    """the message that gave it"""
    to: Who
    """the agent that was to do it"""
    state: str
    """`queued`, `running`, `completed`, `errored` or `cancelled`"""
    outcome: str
    """what came of it"""
    cause: str
    """why, when it did not succeed"""
    turn_id: str
    """the turn that ran it"""
    given_in_id: str
    """the turn that gave it"""
    result_id: str
    """the message with its result"""
    cancelled_by: Who | None
    """who ended it, when somebody did"""
    cancelled_call_id: str
    """by which call, when an agent did"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A message that a turn has read."""

    message_id: str
    """its id"""
    kind: str
    """its kind"""
    sender: Who
    """who wrote it"""
    how: str
    """`opened` the turn, `joined` it later, or was `returned` by a call"""
    round: int
    """the round whose request it entered"""
    at_us: int
    """when"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideCall:
    """A request to a model beside the turn's own."""

    purpose: str
    """what for"""
    call_id: str
    """the call that needed it"""
    outcome: str
    """what came of it"""
    code: str
    """why nothing did, when it has failed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalStep:
    """What a turn changed in its goal."""

    goal_id: str
    """the goal"""
    items: int
    """how long the list is then"""
    done: int
    """how many of it are done then"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the answers and side calls of a turn have cost."""

    rounds: int = 0
    """answers"""
    input_tokens: int = 0
    """tokens read"""
    output_tokens: int = 0
    """tokens written"""
    cache_read_tokens: int = 0
    """tokens of the input that came from the provider's cache"""
    cache_write_tokens: int = 0
    """tokens of the input that went into it"""
    cost_micros: int = 0
    """millionths of a dollar"""
    unpriced: int = 0
    """answers and side calls whose price is not known; they count as nothing"""
