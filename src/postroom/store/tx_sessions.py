"""Sessions, branches, policies and notices to the person: the statements, with their events."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Final, cast

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, PolicyKey, SessionKey
from postroom.domain.policy import Policy
from postroom.domain.session import Branch, Session
from postroom.errors import StoreNewer
from postroom.store.tx_log import LogTx

_FIELDS: Final = frozenset(entry.name for entry in fields(Policy))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A session about to be made, with its one branch."""

    root: int | None
    parent: int | None
    parent_turn: int | None
    parent_branch: int | None
    made_by_call: int | None
    origin: str
    handle: str | None
    title: str
    cwd: str
    team: str
    policy: int
    depth: int
    profile: str
    mode: str = "ask"
    """How asks of the tree are decided; the root's counts."""
    attended: bool = True
    """Whether somebody is there to answer; the root's counts."""


def policy_from(stored: dict[str, object], presets: Mapping[str, Policy]) -> Policy:
    """A policy as it was kept. Its lists are tuples again; what an older version did not keep yet is as its
    surface has it.

    Raises `StoreNewer` for a field that this version does not know. It is a choice that somebody has made,
    perhaps to forbid something: whoever passed over it could let an agent do what its session must not.
    """
    for name in stored.keys() - _FIELDS:
        msg = f"a session in this store was made with `policy.{name}`, which this Postroom does not know"
        raise StoreNewer(msg, remedy="upgrade Postroom; nothing was changed")
    values = {name: _frozen(value) for name, value in stored.items()}
    surface = str(stored.get("surface", ""))
    return replace(presets.get(surface, Policy(surface=surface)), **values)  # pyright: ignore[reportArgumentType] -- as stored


def _frozen(value: object) -> object:
    return tuple(map(_frozen, cast("list[object]", value))) if isinstance(value, list) else value


class SessionTx(LogTx):
    """Sessions in the store."""

    __slots__ = ()

    def insert_session(self, new: NewSession) -> tuple[SessionKey, BranchKey, str]:
        """A session and its `main` branch; the public id of the session is the third value."""
        public_id = self.new_id()
        session = self._insert(
            "insert_session", public_id, new.root or 0, new.parent, new.parent_turn, new.origin, new.handle,
            new.title, new.cwd, new.team, new.policy, new.depth, self.now_us,
            str(new.mode), int(new.attended), self.now_us, self.place_of(new.cwd),
        )  # fmt: skip
        if new.root is None:
            self._do("root_session", session)
        branch = self._insert(
            "insert_branch",
            self.new_id(),
            session,
            new.profile,
            new.parent_branch,
            new.made_by_call,
            self.now_us,
        )
        self._do("activate_branch", branch, session)
        event = {
            "session": session,
            "branch": branch,
            "parent_branch": new.parent_branch,
            "profile": new.profile,
            "mode": new.mode,
            "attended": int(new.attended),
        }
        self.event(session, EventKind.SESSION_CREATED, json.dumps(event))
        return SessionKey(session), BranchKey(branch), public_id

    def handle_taken(self, root: int, handle: str) -> bool:
        """Whether a handle exists in a tree."""
        return self._one("handle_taken", root, handle) is not None

    def session_row(self, session: int) -> Session:
        """A session that is known to exist."""
        return self._known("session_row", "session", Session._make, session)

    def session_by_public_id(self, public_id: str) -> Session | None:
        """One session by public id."""
        return self._find("session_by_public_id", Session._make, public_id.lower())

    def session_by_handle(self, handle: str) -> list[Session]:
        """Sessions with this handle, in any tree."""
        return self._each("session_by_handle", Session._make, handle)

    def branch_row(self, branch: int) -> Branch:
        """A branch that is known to exist."""
        return self._known("branch_row", "branch", Branch._make, branch)

    def branches_below(self, branch: int) -> list[int]:
        """A branch and everything that was made below it."""
        return self._values("branches_below", int, branch)

    def pause_branch(self, session: int, branch: int, by: int) -> bool:
        """Nothing runs here until the person speaks; `False` when it was paused already."""
        if not self._do("pause_branch", by, branch):
            return False
        self.event(session, EventKind.BRANCH_PAUSED, f'{{"branch":{branch},"by":{by}}}', actor="person")
        return True

    def unpause_branch(self, session: int, branch: int) -> None:
        """The pause ends."""
        self._do("unpause_branch", branch)
        self.event(session, EventKind.BRANCH_UNPAUSED, f'{{"branch":{branch}}}', actor="person")

    def paused_by(self, branch: int) -> list[int]:
        """The branches that a stop of this one paused."""
        return self._values("paused_by", int, branch)

    def parked_branches(self) -> list[int]:
        """Branches with mail that opens no turn by itself."""
        return self._values("parked_branches", int)

    def runnable_branches(self) -> list[int]:
        """Branches with a reason to run and no turn."""
        return self._values("runnable_branches", int)

    def policy(self, key: int) -> Policy:
        """The policy that a session was made with."""
        found = self.caches.policies.get(key)
        return self.load_policy(key) if found is None else found

    def load_policy(self, key: int) -> Policy:
        """The same, read whether it is remembered or not: what is asked costs the same each time."""
        (body,) = self._known("policy_body", "policy", tuple, key)
        found = self.caches.policies.get(key) or policy_from(json.loads(str(body)), self.presets)
        self.caches.policies[key] = found
        return found

    def need_known_policies(self) -> None:
        """Raise `StoreNewer` if a session has a policy that this version does not know all of."""
        key = 0
        while (key := self._number("policy_behind", key)) > 0:
            self.load_policy(key)

    def keep_policy(self, policy: Policy) -> PolicyKey:
        """The key of a policy, stored once."""
        body = json.dumps(asdict(policy), sort_keys=True)
        return self._value("policy_key", PolicyKey, body) or PolicyKey(self._insert("insert_policy", body))

    def notify_person(self, session: int, code: str, body: str, *, turn: int | None = None) -> None:
        """Something the person should read; of a turn, if it is said once in one."""
        notice = self._insert("insert_person_notice", session, code, body, self.now_us)
        self.event(session, EventKind.PERSON_NOTIFIED, f'{{"notice":{notice},"code":"{code}"}}', turn=turn)

    def see_notice(self, notice: int) -> bool:
        """The person has read something; `False` when they had before, or when there is no such notice."""
        if not self._do("see_notice", self.now_us, notice):
            return False
        session = self._number("session_of_notice", notice)
        self.event(session, EventKind.NOTICE_SEEN, f'{{"notice":{notice}}}', actor="person")
        return True

    def unseen_through(self, notice: int, limit: int) -> list[int]:
        """What the person has not read up to a notice, oldest first."""
        return self._values("unseen_through", int, notice, limit)

    def was_told_in_turn(self, turn: int, code: str) -> bool:
        """Whether the person was told so in this turn."""
        return self._one("told_in_turn", turn, code) is not None
