"""Branches beside the first of a session: how they are made, and what points to them."""

import json
from dataclasses import dataclass

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import BranchKey, NodeKey
from postroom.store.rows import SenderRow
from postroom.store.tx_log import LogTx

NOBODY = -1
"""Held in memory by no process."""
PROMPT_CHARS = 500
"""How much of a prompt an attach node shows (systems.md 1.7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBranch:
    """An agent about to be made by a call of another one."""

    session: int
    parent_branch: int
    made_by_call: int
    profile: str
    name: str
    head: NodeKey | None
    """The node that it goes on from; none: it begins without a conversation."""
    chars: int
    caller: NodeKey | None
    """The answer that made the call."""
    limits: str
    """Rights of those who made it: JSON, layers of rules that only narrow."""
    cwd: str
    """Where it works, if not where its session does."""


class BranchTx(LogTx):
    """Branches in the store."""

    __slots__ = ()

    def insert_branch(self, new: NewBranch, *, turn: int) -> BranchKey:
        """A branch beside others of its session."""
        branch = self._insert(
            "insert_spawned_branch", self.new_id(), new.session, new.name, new.profile, new.parent_branch,
            new.made_by_call, new.head, new.chars, new.caller, new.limits, self.now_us, new.name, new.cwd,
            self.place_of(new.cwd),
        )  # fmt: skip
        event = {
            "session": new.session, "branch": branch, "parent_branch": new.parent_branch,
            "profile": new.profile, "head": new.head, "chars": new.chars, "caller": new.caller,
        }  # fmt: skip
        self.event(
            new.session,
            EventKind.BRANCH_MADE,
            json.dumps(event),
            actor=actor_of(new.parent_branch),
            turn=turn,
        )
        return BranchKey(branch)

    def cwd_of_branch(self, branch: int) -> str:
        """The directory in which an agent that is known to exist works."""
        return self._text("cwd_of_branch", branch)

    def place_of_agent(self, branch: int) -> str:
        """The canonical directory in which an agent works, if it is there."""
        row = self._one("place_of_agent", branch)
        return "" if row is None else self.place_now(*map(str, row))

    def load_branch(self, branch: int) -> bool:
        """A front end opens an agent, which is in memory from now on; `False` where it was already."""
        row = self._one("resident_epoch", branch)
        if row is None or not self.make_resident(branch, int(str(row[0]))):
            return False
        event = f'{{"branch":{branch},"epoch":{self.epoch()}}}'
        self.event(int(str(row[2])), EventKind.BRANCH_LOADED, event)
        return True

    def evict_branch(self, branch: int) -> None:
        """An agent leaves the memory, unless it has a turn, or was not there."""
        row = self._one("resident_epoch", branch)
        if row is None or row[1] is not None or row[0] != self.epoch():
            return
        self._do("set_resident", NOBODY, branch)
        self.event(int(str(row[2])), EventKind.BRANCH_EVICTED, f'{{"branch":{branch}}}')

    def fan_out(self, session: int, turn: int, agents: int) -> None:
        """A turn has made one more agent."""
        self._do("set_fan_out", agents, turn)
        self.event(session, EventKind.TURN_FANNED_OUT, f'{{"turn":{turn},"agents":{agents}}}', turn=turn)

    def branch_through(self, session: int, node: int) -> BranchKey | None:
        """One branch of a session, sealed or not, whose conversation goes through a node."""
        return self._value("branch_through", BranchKey, session, node, node, node)

    def attach_branch(self, sender: SenderRow, branch: int, task: int, label: str, prompt: str) -> None:
        """The answer that made a branch points to it, once; the pointer is on nobody's path (OP-78).

        How the branch stands is read from its task: a node never changes.
        """
        found = self._one("head_of", sender.branch)
        head = None if found is None or found[0] is None else int(str(found[0]))
        if head is None or self._one("attach_of", head, branch) is not None:
            return
        parts = {"branch": branch, "task": task, "label": label, "prompt": prompt[:PROMPT_CHARS]}
        node = self._insert(
            "insert_attach", sender.session, head, sender.turn, json.dumps(parts), self.now_us
        )
        event = f'{{"node":{node},"branch":{branch},"task":{task}}}'
        self.event(
            sender.session, EventKind.BRANCH_ATTACHED, event, actor=actor_of(sender.branch), turn=sender.turn
        )
