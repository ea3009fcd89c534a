"""Every refusal in a person's words: why, and what would be right. Models read their surface's words."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.ask import AskState
from postroom.domain.receipt import Code

REFUSAL_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    Code.DISABLED: ("messaging is switched off", "set policy.messaging_enabled"),
    Code.INVALID_ARGUMENTS: ("the arguments do not fit", ""),
    Code.INVALID_BODY: ("the text is blank, too long, or holds what no model can be sent", "send other text"),
    Code.UNKNOWN_SESSION: ("there is no such session", "`postroom ps` lists the agents"),
    Code.NOT_TREE_PEER: ("the recipient is in another tree", ""),
    Code.SELF_SEND: ("an agent cannot write to itself", ""),
    Code.INBOX_FULL: ("the recipient's mailbox is full", "send again when it has read some"),
    Code.MAX_HOPS_EXCEEDED: ("the message has made too many hops", "say it to the agent yourself"),
    Code.INFLIGHT_FULL: (
        "the recipient has too much unread from it",
        "send again when it has read some",
    ),
    Code.ENGINE_SHUTDOWN: ("the process is closing", "try again"),
    Code.UNKNOWN_REFERENCE: (
        "nothing has this id",
        "`postroom show AGENT` lists its mail, `postroom asks` what is asked",
    ),
    Code.PERMISSION_DENIED: ("no rule allows it", "change `permissions` in the sender's profile"),
    Code.IDEMPOTENCY_CONFLICT: ("this client id was used for another text", "use a new one"),
    Code.CHAIN_SPENT: ("the budget of this chain is spent", "say something new to the agent"),
    Code.PRICE_UNKNOWN: (
        "there is a budget of money, and nobody knows what answers of its models cost",
        'set budget.assume_price, in dollars for a million tokens: 3, or "3/15"',
    ),
    Code.DELEGATION_FULL: ("too many turns of the tree wait", "wait until some have ended"),
    Code.DELEGATION_TOO_DEEP: ("the tree is as deep as it may be", "see policy.depth_max"),
    Code.UNKNOWN_PROFILE: ("the team has no such profile", ""),
    Code.MAILBOX_LIMIT: ("the mailbox holds as much as any can", "send again when it has been read"),
    Code.NOT_YOUR_CHILD: ("it is no child of the caller", ""),
    Code.NO_TASK: ("it has no task", ""),
    Code.ALREADY_ENDED: (
        "it has ended already",
        "`postroom ps` shows what runs, `postroom why ID` what became of a message",
    ),
    Code.NOTHING_TO_RESUME: (
        "neither paused nor interrupted, and no mail is parked",
        "send it something",
    ),
    Code.NOT_QUARANTINED: ("no message with this id is set aside", "`postroom show SESSION` lists messages"),
    Code.ALREADY_DECIDED: ("it has been decided, or has ended", "`postroom asks` lists what is open"),
    Code.APPROVAL_EXPIRED: ("nobody decided in time", "let the agent try again"),
    Code.DENIED_BY_HOOK: ("a hook said no", "see what the hook says in the log"),
    Code.UNATTENDED: (
        "nobody is there to answer",
        "say that you are: `postroom run --session AGENT --attended`",
    ),
    Code.CHILD_RUNNING: ("the child has a task or a turn", "wait until it has ended"),
    Code.TARGET_STOPPED: ("the child was stopped", "resume it: `postroom resume AGENT`"),
    Code.ALREADY_BEING_READ: ("a request holds the message already", ""),
    Code.NOT_RECALLABLE: ("it is a task, or a word of Postroom's own", "end a task: `postroom cancel AGENT`"),
    Code.NOT_IDLE: ("a turn of it runs or waits", "wait for its end, or `postroom cancel AGENT`"),
    Code.NOTHING_TO_COMPACT: (
        "it is so short that all of it is kept",
        "its last two turns are never summed up",
    ),
    Code.GOAL_OPEN: ("it works on a goal already", "cancel that one first: `postroom goal cancel AGENT`"),
    Code.NO_GOAL: ("it has no open goal", "set one: `postroom goal set AGENT TEXT`"),
    Code.NOT_A_ROOT: ("only the agent at the root of a tree has goals", "`postroom ps` shows the roots"),
    Code.SPAWN_SYNTAX: ("`new` is nobody's address", "`postroom agents` lists the agents"),
    Code.EMPTY_TO: ("no address was given", "`postroom agents` lists the agents"),
    Code.HEAD_MISSING: ("behind the colon the branch is missing", "`postroom agents` lists the branches"),
    Code.UNKNOWN_NODE: ("the session has no such branch or node", "`postroom agents` lists the branches"),
    Code.AMBIGUOUS: ("several agents are called so", "use an address: `postroom agents` lists them"),
    Code.SHARED_ANCESTOR: ("several branches go on from there", "use the address of one of them"),
    Code.MESSAGES_SPENT: ("the chain has no messages left", "say something new, or see agent.max_messages"),
    Code.GENERATIONS_SPENT: (
        "the chain may make no more generations of agents",
        "see agent.max_spawn_depth",
    ),
    Code.FAN_OUT_SPENT: ("the turn has made as many agents as it may", "see agent.max_spawn_fanout"),
    Code.DUPLICATE: ("the same text waits there unread", "wait until it has been read"),
    Code.UNKNOWN_TASK: ("there is no such task", "`postroom tasks` lists them"),
    Code.NOT_DISPATCHER: ("the task was given by somebody else", ""),
    Code.WOULD_DEADLOCK: ("the awaited agent waits for the one that asks", ""),
    Code.UNKNOWN_TODO: ("the board has no such entry", "`postroom todo` lists them"),
    Code.ARCHIVED: ("it was archived", "fork it to go on: `postroom fork AGENT`"),
    Code.PRUNED: ("its conversation was over, and its texts were pruned", "begin a new one: `postroom run`"),
    Code.ALREADY_ARCHIVED: ("it was archived before", ""),
    Code.INVALID_NAME: ("nobody can be called so", "such as: postroom rename AGENT 'tax papers'"),
    Code.INVALID_TITLE: ("no session can be called so", "one line of at most 80 characters"),
    Code.NOT_FOUND: ("there is no such session, or none that it may reach", "`postroom agents` lists them"),
    Code.MESSAGE_TOO_LARGE: ("the text is longer than the limit of its surface", "see policy.body_bytes_max"),
    Code.MAILBOX_FULL: ("too much of it for this recipient is unread or held", "wait until some was read"),
    Code.INVALID_TIMEOUT: ("a wait of that length is not possible", ""),
    Code.WAIT_ABORTED: ("the turn that waited was ended", ""),
    Code.NO_TURN: ("there is no turn", "say something to the agent"),
    Code.NO_ADDRESS: ("the sender has no address on this bus", ""),
    Code.UNKNOWN_SELECTOR: ("nobody on the bus of this turn is called so", ""),
    Code.UNKNOWN_MESSAGE: (
        "there is no such message for whoever asks",
        "`postroom show AGENT` lists its mail",
    ),
    Code.SEVERAL_REFUSED: ("one of the recipients may not be written to, so nothing was sent", ""),
    "invalid_query": ("there is no word to search for", "give one with a letter or a digit"),
}
"""Code -> (cause, remedy)."""
_UNDECIDED: Final[Mapping[tuple[str, str], str]] = {
    (AskState.EXPIRED, "time"): "its time is over, and nobody decided",
    (AskState.WITHDRAWN, "system"): "it was withdrawn: its turn has ended",
    (AskState.WITHDRAWN, "person"): "it was withdrawn: you said that nobody is there",
}
"""How an ask ends that nobody decides, and by what."""


def refusal_words(code: str, facts: Mapping[str, str | int]) -> tuple[str, str]:
    """Cause and remedy of a refusal, with what its facts add."""
    cause, remedy = REFUSAL_WORDS.get(code, ("the rules said no", ""))
    state, by = str(facts.get("state", "")), str(facts.get("by", ""))
    if code == Code.ALREADY_DECIDED and state:
        who = f"by {by}" if by else "before"
        cause = _UNDECIDED.get((state, by), f"it was {state} {who}")
    if code == Code.INVALID_NAME and "why" in facts:
        cause = f"a name {facts['why']}"
    return cause, remedy
