"""Lists for people: the agents of sessions, the tasks that they have handed out, their boards.

What agents themselves are shown is `service.listing`; a person sees every session.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final, cast

from postroom.domain.keys import NEWEST
from postroom.domain.plain import Json
from postroom.observe.find import find_agent
from postroom.rules.standing import agent_state
from postroom.service.listing import FAR_FUTURE_US, preview
from postroom.service.todos import list_todos
from postroom.store.tx import Tx
from postroom.store.tx_lists import ListedBranch, ListedSession, ToldTask

SESSIONS_LISTED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAgent:
    """One agent of a session."""

    branch_id: str
    address: str
    """What means it: the id or handle of the session that it is of, else `SESSION:BRANCH`."""
    name: str
    """Empty while nobody has given it one."""
    profile: str
    state: str
    turns: int
    """Texts and answers of its conversation."""
    chars: int
    internal: bool
    """Whether an agent made it, and not the person."""
    merged: bool
    """Whether what it has said so far has come back to where it was made from."""
    archived_us: int | None
    archived_reason: str
    preview: str
    """The newest text of its conversation, its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAgents:
    """A session with its agents, first the one that it is of."""

    session_id: str
    handle: str
    profile: str
    title: str
    last_active_us: int
    agents: list[ListedAgent]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task: who gave it to whom, and what has come of it."""

    task_id: str
    state: str
    outcome: str
    """Empty while it is open."""
    cause: str
    description: str
    dispatcher: str
    dispatcher_address: str
    target: str
    target_address: str
    message_id: str
    given_us: int
    ended_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoView:
    """An entry of a board."""

    id: int
    subject: str
    description: str
    status: str
    owner: str
    blocked_by: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """The board of a session."""

    session_id: str
    todos: list[TodoView]


def agent_lists(tx: Tx, session: str | None, scope: str = "session") -> list[ListedAgents]:
    """The agents of a session, or of the last active one; with `all` of the last active sessions.

    `archived` gives those that were archived, or are merged. Raises `NotFound`.
    """
    return [_agents(tx, row, scope) for row in _sessions(tx, session, scope)]


def task_list(tx: Tx, session: str | None, limit: int = 50) -> list[TaskView]:
    """The tasks that a session has handed out, or that one of its agents gave or got; newest first.

    Without a session those of the store. Raises `NotFound`.
    """
    if session is None:
        return [told(tx, row) for row in tx.tasks_before(NEWEST, limit)]
    found = find_agent(tx, session)
    if found.is_session:
        return [told(tx, row) for row in tx.tasks_of_session(found.session.key, limit)]
    return [told(tx, row) for row in tx.tasks_of_branch(found.branch, limit)]


def board(tx: Tx, session: str | None) -> BoardView | None:
    """The board of a session, or of the last active one; nothing where there is no session.

    Raises `NotFound`.
    """
    found = next(iter(_sessions(tx, session, "session")), None)
    if found is None:
        return None
    todos = [
        TodoView(
            id=line.number, subject=line.subject, description=line.description, status=line.status,
            owner=line.owner, blocked_by=list(line.blocked_by),
        )
        for line in list_todos(tx, found.session)
    ]  # fmt: skip
    return BoardView(session_id=found.public_id, todos=todos)


def found_row(tx: Tx, reference: str) -> dict[str, Json]:
    """The agent that a person means, as JSON. Raises `NotFound`."""
    found = find_agent(tx, reference)
    return {
        "session_id": found.session.public_id, "branch_id": tx.branch_public_id(found.branch),
        "address": tx.address_of_branch(found.branch)[1],
    }  # fmt: skip


def agent_list_rows(tx: Tx, session: str | None, scope: str) -> list[Json]:
    """Agents as JSON."""
    return _rows(agent_lists(tx, session, scope))


def task_rows(tx: Tx, session: str | None, limit: int) -> list[Json]:
    """Tasks as JSON."""
    return _rows(task_list(tx, session, limit))


def board_row(tx: Tx, session: str | None) -> dict[str, Json]:
    """A board as JSON; without a session an empty one."""
    return cast("dict[str, Json]", asdict(board(tx, session) or BoardView(session_id="", todos=[])))


def _rows(views: Iterable[ListedAgents | TaskView]) -> list[Json]:
    return [cast("Json", asdict(view)) for view in views]


def _sessions(tx: Tx, session: str | None, scope: str) -> list[ListedSession]:
    if session is not None:
        found = tx.listed_session(find_agent(tx, session).session.key)
        return [] if found is None else [found]
    return tx.sessions_before(FAR_FUTURE_US, 0, SESSIONS_LISTED if scope == "all" else 1)


def _agents(tx: Tx, row: ListedSession, scope: str) -> ListedAgents:
    read = tx.retired_branches if scope == "archived" else tx.live_branches
    rows = sorted(read(row.session), key=lambda branch: (branch.branch != row.active_branch, branch.branch))
    return ListedAgents(
        session_id=row.public_id, handle=row.handle or "", profile=row.profile, title=row.title,
        last_active_us=row.last_active_us, agents=[_agent(tx, one) for one in rows],
    )  # fmt: skip


def _agent(tx: Tx, row: ListedBranch) -> ListedAgent:
    state = agent_state(
        row.turn_state, row.last_turn_state, is_archived=row.archived_us is not None,
        is_paused=row.paused_by is not None,
    )  # fmt: skip
    return ListedAgent(
        branch_id=row.public_id, address=tx.address_of_branch(row.branch)[1],
        name=row.name if row.name_source else "", profile=row.profile,
        state=state, turns=row.said, chars=row.context_chars,
        internal=bool(row.internal), merged=row.is_merged, archived_us=row.archived_us,
        archived_reason=row.archived_reason, preview=preview(tx, row.head),
    )  # fmt: skip


def told(tx: Tx, row: ToldTask) -> TaskView:
    """A task with the names of its agents."""
    dispatcher, dispatcher_address = tx.address_of_branch(row.dispatcher)
    target, target_address = tx.address_of_branch(row.target)
    return TaskView(
        task_id=row.task_id, state=row.state, outcome=row.outcome, cause=row.cause,
        description=" ".join(row.description.split()), dispatcher=dispatcher,
        dispatcher_address=dispatcher_address, target=target, target_address=target_address,
        message_id=row.message_id, given_us=row.given_us, ended_us=row.ended_us,
    )  # fmt: skip
