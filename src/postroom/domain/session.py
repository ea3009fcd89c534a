"""Session and branch. An agent's identity is a branch; every session has an active one."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, NodeKey, PolicyKey, SessionKey, TurnKey


class Session(NamedTuple):
    """A conversation container."""

    key: SessionKey
    public_id: str
    root: SessionKey
    parent: SessionKey | None
    handle: str | None
    title: str
    cwd: str
    team: str
    policy: PolicyKey
    depth: int
    active_branch: BranchKey
    created_us: int
    mode: str
    """How asks of the tree are decided; the root's counts."""
    overlay: str
    """The person's rules over the tree's profiles; the root's count."""
    attended: int
    """Whether somebody is there to answer a question; the root's counts."""


class Branch(NamedTuple):
    """One agent. The counters are exact; only `Tx.post` and `Tx.move` change them."""

    key: BranchKey
    session: SessionKey
    profile: str
    head: NodeKey | None
    parent_branch: BranchKey | None
    turn: TurnKey | None
    last_turn_state: str
    paused_by: BranchKey | None
    n_steer: int
    n_queue: int
    n_notice: int
    n_parked: int
    context_chars: int
    public_id: str
    name: str
    archived_us: int | None
    rounds: int
    """How many answers it has given."""

    @property
    def n_waiting(self) -> int:
        """How many messages of any kind wait in its mailbox."""
        return self.n_steer + self.n_queue + self.n_notice + self.n_parked
