"""Trees of agents for the benches, made with the store's own statements: every guard sees real rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postroom.domain.chain import limits_of
from postroom.domain.keys import BranchKey, CallKey, ChainKey, PolicyKey, SessionKey, TurnKey
from postroom.domain.policy import Policy
from postroom.domain.turn import Turn
from postroom.llm.port import ModelSettings
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.rules.permissions import Effect, Rule
from postroom.service.facts import AgentFacts, ToolRight
from postroom.store.tx import Tx
from postroom.store.tx_sessions import NewSession
from postroom.store.tx_turns import Beginning, NewTurn

TEAM = "/bench/team"
PROFILE = "worker"
WIDE = 1_000_000
BODY = "The quick brown fox jumps over the lazy dog, and the lazy dog writes a letter. " * 7
BODY_512 = BODY[:512]
WIDE_POLICY = Policy(
    surface="tree", hops_max=WIDE, mailbox_cap=WIDE, pair_window=WIDE, chain_turns_max=WIDE, rounds_max=WIDE
)
"""Every guard is on and counts; none of them ever says no."""
FACTS = AgentFacts(
    profile=PROFILE, own=(Rule(action="message", effect=Effect.ALLOW),),
    shows=(ToolRight("send_message", "message"),), tools='["send_message"]', exposes_mail=True,
    rounds_max=None, window_tokens=4 * WIDE, reserve_tokens=0,
)  # fmt: skip


def directory(team: str, profile: str) -> AgentFacts | None:
    """Every agent of a bench is the same one."""
    return FACTS if (team, profile) == (TEAM, PROFILE) else None


def team_of(folder: Path, profiles: Mapping[str, tuple[str, ...]]) -> Team:
    """A team in memory: profiles by name with their tools, each of which may write to anybody."""
    may_write = Rule(action="message", effect=Effect.ALLOW, pattern="*")
    return Team(
        name="bench", path=folder, entry=next(iter(profiles)), surface="tree", policy=WIDE_POLICY,
        model=ModelDefaults(),
        profiles={
            name: Profile(
                name=name, description=f"The {name}.", instructions=f"You are {name}.",
                model=f"scripted:{name}", tools=tools, permissions=(may_write,),
                settings=ModelSettings(context_window=4 * WIDE),
            )
            for name, tools in profiles.items()
        },
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whose tree the agents are in."""

    session: SessionKey
    session_id: str
    branch: BranchKey
    policy: PolicyKey
    chain: ChainKey


@dataclass(slots=True, kw_only=True)
class Worker:
    """One agent, with its turn and the calls that it has not used yet."""

    session: SessionKey
    branch: BranchKey
    handle: str
    turn: Turn | None = None
    calls: list[CallKey] = field(default_factory=list[CallKey])
    n_calls: int = 0


def make_root(tx: Tx, team: str = TEAM, profile: str = PROFILE, policy: Policy = WIDE_POLICY) -> Person:
    """A root session without a turn."""
    key = tx.keep_policy(policy)
    session, branch, public_id = tx.insert_session(
        NewSession(
            root=None, parent=None, parent_turn=None, parent_branch=None, made_by_call=None, origin="person",
            handle=None, title="bench", cwd="/", team=team, policy=key, depth=0, profile=profile,
        )
    )  # fmt: skip
    chain = tx.insert_chain(session, limits_of(policy))
    return Person(session=session, session_id=public_id, branch=branch, policy=key, chain=chain)


def make_workers(
    tx: Tx, root: Person, count: int, *, first: int = 0, team: str = TEAM, profile: str = PROFILE
) -> list[Worker]:
    """Children of one root, idle."""
    return [_worker(tx, root, number, team, profile) for number in range(first, first + count)]


def _worker(tx: Tx, root: Person, number: int, team: str, profile: str) -> Worker:
    handle = f"worker_{number:08x}"
    session, branch, _ = tx.insert_session(
        NewSession(
            root=root.session, parent=root.session, parent_turn=None, parent_branch=root.branch,
            made_by_call=None, origin="delegation", handle=handle, title="a worker of the bench", cwd="/",
            team=team, policy=root.policy, depth=1, profile=profile,
        )
    )  # fmt: skip
    return Worker(session=session, branch=branch, handle=handle)


def start_turns(tx: Tx, root: Person, workers: Sequence[Worker]) -> None:
    """Each worker is in the middle of a turn."""
    for worker in workers:
        new = NewTurn(
            branch=worker.branch, session=worker.session, root=root.session, trigger="mail", chain=root.chain,
            task=None, messages=0, generations=0, rounds_max=WIDE,
        )  # fmt: skip
        worker.turn = _begin(tx, root, worker, tx.insert_turn(new))


def _begin(tx: Tx, root: Person, worker: Worker, turn: TurnKey) -> Turn:
    row = tx.turn_row(turn)
    assert row is not None
    begin = Beginning(
        fence=1, chain=root.chain, task=None, messages=0, generations=0, rounds_max=WIDE, tools="[]"
    )
    tx.begin_turn(row, begin)
    return Turn(
        key=turn, public_id=row.public_id, branch=worker.branch, session=worker.session, fence=1,
        chain=root.chain, task=None, rounds=0, rounds_max=WIDE,
    )  # fmt: skip


def add_calls(tx: Tx, workers: Sequence[Worker], count: int) -> None:
    """Calls that the models of all workers have made at the same time and that have no result yet."""
    for _ in range(count):
        for worker in workers:
            worker.calls.append(_call(tx, worker))


def _call(tx: Tx, worker: Worker) -> CallKey:
    assert worker.turn is not None
    worker.n_calls += 1
    arguments = json.dumps({"to": worker.handle, "body": BODY_512})
    name = f"call_{worker.n_calls}"
    return tx.insert_call(worker.turn.key, worker.n_calls, 0, name, "send_message", arguments).key
