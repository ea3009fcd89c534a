"""Which agent, message or ask a person means: by id, by handle, or by name."""

from collections.abc import Sequence
from typing import NamedTuple

from postroom.domain.ask import Ask, AskState
from postroom.domain.keys import BranchKey
from postroom.domain.session import Session
from postroom.errors import NotFound
from postroom.rules.naming import SHOWN_CHARS, TAIL_CHARS, is_task_id, of_branch
from postroom.rules.text import is_encodable
from postroom.store.tx import Tx

AGENTS_MAX = 20
"""How many agents of one name are looked at."""


class FoundAgent(NamedTuple):
    """An agent: its branch, and the session that this belongs to."""

    session: Session
    branch: BranchKey
    is_session: bool = False
    """Whether it was named as the agent that its session is of, so that all of the session may be meant."""


def find_agent(tx: Tx, reference: str) -> FoundAgent:
    """The one agent that a person means. Raises `NotFound`, also where several are called so.

    By session id or handle, which mean the agent that its session is of; by `SESSION:BRANCH`, where the
    branch is an id or a name; by the id of a branch or of a task; by a name that no other agent was given.
    """
    found = _found(tx, reference) if is_encodable(reference) else []
    if len(found) == 1:
        return found[0]
    shown = reference[:SHOWN_CHARS]
    if found:
        msg = f"{len(found)}{'' if len(found) < AGENTS_MAX else ' or more'} agents are called {shown!r}"
        raise NotFound(msg, remedy=f"name one of {', '.join(full_address(tx, one) for one in found[:3])}")
    raise NotFound(f"no agent is called {shown!r}", remedy="`postroom ps` lists the agents")


def find_session(tx: Tx, reference: str) -> Session:
    """The session of the agent that a person means. Raises `NotFound`."""
    return find_agent(tx, reference).session


def branch_id_of(tx: Tx, reference: str) -> str:
    """The id of the branch of the agent that a person means. Raises `NotFound`."""
    return tx.branch_public_id(find_agent(tx, reference).branch)


def full_address(tx: Tx, agent: FoundAgent) -> str:
    """The address that means this agent and no other one."""
    return of_branch(agent.session.public_id, tx.branch_public_id(agent.branch))


def _found(tx: Tx, reference: str) -> list[FoundAgent]:
    """Every agent that the first way to read the reference gives."""
    session, handled = tx.session_by_public_id(reference), tx.session_by_handle(reference)
    if session is not None or handled:
        return [
            FoundAgent(one, one.active_branch, is_session=True) for one in ([session] if session else handled)
        ]
    left, colon, right = reference.partition(":")
    if colon:
        return _in_sessions(tx, left, right)
    task = tx.branch_of_task(reference.lower())
    own = task if task is not None else tx.branch_by_public_id(reference)
    named = tx.branches_named_elsewhere(0, reference, AGENTS_MAX, is_prefix=False)
    return _of_branches(tx, named if own is None else [own])


def _in_sessions(tx: Tx, session: str, branch: str) -> list[FoundAgent]:
    """`SESSION:BRANCH`; the session by id or handle."""
    by_id = tx.session_by_public_id(session)
    sessions = tx.session_by_handle(session) if by_id is None else [by_id]
    own = [key for one in sessions if (key := tx.branch_of_public_id(one.key, branch)) is not None]
    named = (key for one in sessions for key in tx.branches_named(one.key, branch, AGENTS_MAX))
    return _of_branches(tx, own or list(named))


def _of_branches(tx: Tx, branches: Sequence[BranchKey]) -> list[FoundAgent]:
    return [FoundAgent(tx.session_row(tx.branch_row(key).session), key) for key in branches]


def find_message(tx: Tx, message_id: str) -> int | None:
    """The key of a message by its id, or by that of the task which it gave."""
    if not is_encodable(message_id):
        return None
    if is_task_id(message_id.lower()):
        task = tx.task_by_public_id(message_id.lower())
        return None if task is None else task.key
    row = tx.message_by_public_id(message_id.lower())
    return None if row is None else int(str(row[0]))


def find_ask(tx: Tx, reference: str) -> Ask:
    """An ask by its id, or by 8 or more of its last characters. Raises `NotFound`.

    One that is open comes before those that have ended.
    """
    given = reference.strip().lower()
    asks = tx.asks_by_tail(given[-TAIL_CHARS:]) if is_encodable(given) and len(given) >= TAIL_CHARS else []
    ending = [ask for ask in asks if ask.public_id.endswith(given)]
    found = [ask for ask in ending if ask.state == AskState.OPEN] or ending
    if len(found) == 1:
        return found[0]
    shown = reference[:SHOWN_CHARS]
    if found:
        msg = f"the ids of {len(found)} asks end with {shown!r}"
        raise NotFound(msg, remedy="give more of the id, see `postroom asks --json`")
    msg = f"no ask has the id {shown!r}"
    raise NotFound(msg, remedy="`postroom asks` lists those that are open, each with the end of its id")
