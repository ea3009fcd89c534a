"""Session and branch. An agent's identity is a branch; `branch` here carries its session's facts."""

from dataclasses import dataclass

from postroom.domain.keys import BranchKey, NodeKey, PolicyKey, SessionKey, TurnKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One agent. The counters are exact and are moved only by `store.Tx.move`."""

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
