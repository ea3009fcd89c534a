"""One frozen value with every choice in which surfaces differ (product.md section 5).

Code asks the policy, never which surface a message came from. A session keeps the policy it was
made with. `None` means unlimited; the edge turns a source's `0` into it where the source says so.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The choices that this version reads. Sender's half first, recipient's half after it."""

    surface: str
    """Which set of tools and words the agents of the session get."""
    send_tool: str = "send_message"
    """The tool by which they write to each other; only who has it is told how to reply (CK-24)."""
    addressing: Literal["tree", "branch", "session", "team", "roster"] = "tree"
    """How an address is read and printed: handles of a tree, `SID:BRANCH` and names of branches, ids of
    sessions, all of these in a tree, or `label#n` on the bus of one turn.
    """
    authorisation: Literal["rules", "open", "directory"] = "rules"
    """What holds where no rule is: nothing may be done, everything, or what the seven rules of a workspace
    allow (systems.md 4.6).
    """
    relations: tuple[tuple[str, str], ...] = ()
    """Rules on recipients that are shipped with the surface: (relation, effect), under those of profiles."""
    reachable_from: Literal["tree", "anywhere", "directory", "workspace", "turn"] = "tree"
    """Whose agents may write here: those of the same tree, any that may send at all, those whom the seven
    rules let through, those of the tree and (the person is asked) of the directory, or those of one turn.
    """
    crosses_workspace: bool = False
    """Whether agents of other directories count like those of its own (seed 002, `allowCrossWorkspace`)."""
    allow_list: tuple[str, ...] = ()
    """Ids of sessions, and directories, that count like the own directory (seed 002, `allowlist`)."""
    refusals: Literal["told", "masked"] = "told"
    """Whether a sender reads why, or of whatever it may not reach the same as of what is not there (DS-2)."""
    keeps_outbox: bool = False
    """Whether a sender's log says when what it sent was delivered (systems.md 4.2)."""
    asks_hold: bool = False
    """Whether a send that needs leave is held with its sender; else its call waits for the person."""
    reviews: bool = False
    """Whether reviewers may give leave in the person's place, on what was asked for (systems.md 2.9)."""
    reviews_max: int = 5
    """How many calls reviewers let through for one request of the person; what comes after, the person
    decides."""
    reads: Literal["children", "card", "anything", "workspace"] = "children"
    """Whose conversations it may read: results of its children, cards, all, or its tree and directory."""
    archives: Literal["nobody", "anyone", "below"] = "nobody"
    """Whom an agent may archive; the person may archive everybody."""
    tells_archived: bool = False
    """Whether a sender reads that its recipient was archived; else it reads the same as of an unknown one."""
    tasks_called: Literal["agent", "task"] = "agent"
    """By what agents name a task that they gave: by the agent that has it, or by an id of its own."""
    spawns: Literal["session", "branch"] = "session"
    """What a spawn makes: a session with a handle, or a branch of the caller's session."""
    rings: bool = True
    """Whether profiles may delegate to each other in a ring; else such a team is refused when it is read."""
    names_spawns: bool = False
    """Whether a session that a spawn makes is called after its task, so that its tree knows it by a name."""
    copies: bool = False
    """Whether an agent may make others of its own profile where no rule says otherwise."""
    slots: Literal["tree", "process"] = "tree"
    """Whose turns share `concurrency`: those of a tree, or of the process without what the person opens."""
    messaging_enabled: bool = True
    """`false` refuses every send with `disabled`, whatever the rules say (CK-20)."""
    body_bytes_max: int = 32_768
    """Longest body in UTF-8 bytes; 0 refuses every body (seed 000, Configuration)."""
    hops_max: int | None = None
    """Highest hop a message may have; none = off (CK-19)."""
    depth_max: int = 3
    """How deep a tree of delegation may grow below its root."""
    concurrency: int = 4
    """Turns that run at once in one tree."""
    waiting_max: int | None = 16
    """Turns of one tree that may wait for a slot; one more delegation is `delegation_full`."""
    messages_max: int | None = None
    """Messages along the path of a chain; one more send or delegation is refused (OP-34)."""
    generations_max: int | None = None
    """Generations of agents along the path of a chain (OP-59)."""
    fan_out_max: int | None = None
    """Agents that one turn may make (OP-61)."""
    tokens_max: int | None = None
    """Tokens that a chain may spend in all; a call in flight at the limit is finished (O-33)."""
    cost_micros_max: int | None = None
    """Millionths of a dollar that a chain may spend in all."""
    path_counts_tasks: bool = False
    """Whether a spawn or a dispatch costs a message of the path, as mail does."""
    answers_mail: bool = False
    """Whether mail is answered automatically: what the recipient says in its turn comes back."""
    limits_by_caller: bool = False
    """Whether an agent never has more rights than the one that made it."""
    merges_spawns: bool = False
    """Whether the branch of a background spawn that succeeded leaves the list of live branches."""
    result_form: Literal["teaser", "inline"] = "teaser"
    """How a result is shown: its first lines, or head and tail of up to `result_chars_max`."""
    result_chars_max: int = 30_000
    """Characters of a result that are shown inline; the whole is kept in a file (OP-15)."""
    unattended_sends: Literal["ask", "allow", "hold"] = "ask"
    """What becomes of a send in a tree that nobody attends: leave is asked for where a rule says so, as in
    any other tree; it goes, where no rule denies it; or it is held until the person gives leave (OP-16).
    """
    auto_names: bool = False
    """Whether a model gives branches their names after some turns (OP-86)."""
    ask_s: int = 30
    """Seconds that an ask for approval waits for the person; then it is not approved (CK-6)."""
    chain_turns_max: int | None = 200
    """Turns that may grow out of one user turn: the outer cap of a chain."""
    mailbox_cap: int | None = 32
    """Unacknowledged agent mails a mailbox holds; one more is `inbox_full` (CK-16)."""
    overflow: Literal["refuse", "drop_oldest"] = "refuse"
    """At the cap: refuse the new mail, or drop the oldest that waits and tell its sender (OP-41)."""
    duplicate_s: int = 0
    """Seconds in which the same text of the same sender is a duplicate while a copy waits; 0 is off."""
    mail_joins: bool = True
    """Whether mail may join a running turn; else all of it opens turns of its own."""
    drains_together: bool = True
    """Whether waiting mail of one chain opens the next turn together, or each its own."""
    stop_clears: bool = False
    """Whether a stop by the person empties the mailbox, with word to every sender (OP-47)."""
    pair_window: int | None = 4
    """Unacknowledged messages from one sender to one recipient (CK-18)."""
    pair_cap: int | None = None
    """Held and unread messages from one sender to one recipient; one more is `mailbox_full` (DS-30)."""
    mailbox: Literal["durable", "turn"] = "durable"
    """How long mail of agents lives: until it is read, or on the bus of one turn of the person (KK-51)."""
    wakes_cold: bool = True
    """Whether mail may load an agent that this process does not hold; else it stays held (DS-36)."""
    needs_directory: bool = False
    """Whether mail is held for an agent that is not loaded and whose directory is not there (DS-15)."""
    user_text: Literal["as_asked", "everyone"] = "as_asked"
    """What becomes of text typed during a turn: it joins or opens a turn as its writer says, or every reader
    of the turn gets it, and the entry agent owes it (systems.md 2.2).
    """
    drain_form: Literal["each", "joined"] = "each"
    """Whether several deliveries at one boundary are an item each, or parts of one (KK-36)."""
    dates_mail: bool = False
    """Whether mail is shown with its number and its age, and that of a boundary as one item."""
    at_cap: Literal["ends", "answers"] = "ends"
    """At the cap on rounds: the turn ends, or its agent answers once more, without tools."""
    extensions_max: int = 0
    """How often a delivery begins the rounds of a turn anew (KK-37)."""
    host_death: Literal["interrupt", "resume"] = "interrupt"
    """What becomes of a turn that its host's death has cut: it ends, or another process goes on with it."""
    resumes_max: int = 5
    """How often in a row a cut turn goes on without a new answer; then it ends."""
    waits_end: Literal["never", "asked", "mail"] = "never"
    """Which waits end early for mail that may enter the running turn: none, the wait tool's, or all (G13)."""
    idle_eviction_s: int = 3_600
    """Seconds after its last turn in which a child's conversation stays in memory; read by the process."""
    resident_subagents_max: int = 20
    """Children without a turn whose conversations one process keeps in memory."""
    rounds_max: int = 50
    """Model requests in one turn, counted from its beginning or from its last extension."""
    rendered_chars_max: int = 32_768
    """Longest rendering of one delivery; above it head and tail are shown."""
