"""One frozen value with every choice in which surfaces differ (product.md section 5).

Code asks the policy, never which surface a message came from. A session keeps the policy it was
made with. `None` means unlimited; the edge turns a source's `0` into it where the source says so.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The choices that this version reads. Sender's half first, recipient's half after it."""

    surface: str
    """Which set of tools and words the agents of the session get."""
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
    waiting_max: int = 16
    """Turns of one tree that may wait for a slot; one more delegation is `delegation_full`."""
    ask_s: int = 30
    """Seconds that an ask for approval waits for the person; then it is not approved (CK-6)."""
    chain_turns_max: int | None = 200
    """Turns that may grow out of one user turn: the outer cap of a chain."""
    mailbox_cap: int | None = 32
    """Unacknowledged agent mails a mailbox holds; one more is `inbox_full` (CK-16)."""
    pair_window: int | None = 4
    """Unacknowledged messages from one sender to one recipient (CK-18)."""
    idle_eviction_s: int = 3_600
    """Seconds after its last turn in which a child's conversation stays in memory; read by the process."""
    resident_subagents_max: int = 20
    """Children without a turn whose conversations one process keeps in memory."""
    rounds_max: int = 50
    """Model requests in one turn."""
    rendered_chars_max: int = 32_768
    """Longest rendering of one delivery; above it head and tail are shown."""
