"""Revert: the person takes an agent back to where its conversation stood before.

The head moves, nothing is deleted: what is left becomes a sealed branch. Mail is not undone. Only tasks that
were given in the part left end with it, unless the person keeps them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from postroom.domain.keys import BranchKey
from postroom.domain.message import Reason, State
from postroom.domain.receipt import Code, Refusal
from postroom.domain.session import Branch
from postroom.service.contexts import chars_at
from postroom.service.facts import Ring
from postroom.service.goals import remind
from postroom.service.paths import Place, no_place, own_path, place_on, rounds_of
from postroom.service.recall import discard_unread
from postroom.service.tasks import cancel_task
from postroom.service.wake import drop_ended
from postroom.store.tx import Tx
from postroom.store.tx_paths import Cut, GivenTask, PlacedMail

REVERTED = "reverted"
"""Why a task ended whose dispatcher does not know of it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftTask:
    """An open task that was given in the part left."""

    task_id: str
    agent: str
    session_id: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertView:
    """What a revert does, or with `dry_run` would do."""

    session_id: str
    place: str
    """Where the agent stands now, as it can be named again."""
    dry_run: bool
    nodes_left: int
    sealed_id: str
    """The branch that keeps the part left; empty when nothing was left, or nothing done."""
    read: tuple[str, ...]
    """Messages that were read in the part left: they stay read, and are marked."""
    unread: tuple[str, ...]
    """Messages that stood there unanswered: they are read again, at the next boundary there is."""
    tasks: tuple[LeftTask, ...]
    """Open tasks that were given there."""
    keeps_tasks: bool
    """They go on and report here; else they are cancelled with everything below them."""
    agents: tuple[str, ...]
    """Agents that were made there, by session id; they stay."""
    work: tuple[str, ...]
    """Work in the background that was begun there; it goes on."""
    goal: str
    """The agent's open goal; it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """What was done, and what is to be looked at."""

    view: RevertView
    ring: Ring = field(default_factory=Ring)


def revert(
    tx: Tx, branch: BranchKey, to: str, *, keeps_tasks: bool = False, dry_run: bool = False
) -> Reverted | Refusal:
    """Move an agent back to a place of its own path. `not_idle` while it has a turn, of whatever state."""
    row = tx.branch_row(branch)
    if row.turn is not None:
        return Refusal(code=Code.NOT_IDLE)
    place = place_on(own_path(tx, branch), to)
    if place is None:
        return no_place(to)
    placed = tx.mail_at_nodes(branch, [step.node for step in place.left])
    tasks = _tasks(tx, branch, place)
    view = replace(_view(tx, row, place, placed, tasks), dry_run=dry_run, keeps_tasks=keeps_tasks)
    if dry_run or not place.left:
        return Reverted(view=view)
    sealed_id = _cut(tx, row, place, placed)
    ring = Ring() if keeps_tasks or not tasks else _cancel(tx, row, tasks)
    return Reverted(view=replace(view, sealed_id=sealed_id), ring=ring)


def _cut(tx: Tx, row: Branch, place: Place, placed: Sequence[PlacedMail]) -> str:
    """Unread mail loses its node, read mail is marked, and the head moves; the id of the sealed branch."""
    for mail in placed:
        if mail.state == State.ACCEPTED:
            tx.set_delivery_node(row.session, mail.delivery, None)
    read = tuple(mail.delivery for mail in placed if mail.state == State.CONSUMED)
    return tx.cut_path(row, Cut(head=place.node, chars=chars_at(tx, place), read=read))[1]


def _cancel(tx: Tx, row: Branch, tasks: Sequence[GivenTask]) -> Ring:
    """The person is told by the report, and the agent knows nothing of them any more: nobody else is."""
    ring = Ring()
    for given in tasks:
        discard_unread(tx, given.task, Reason.REVERTED)
        ring.take(cancel_task(tx, given.task, REVERTED, told=True).ring)
    remind(tx, ring, tx.session_row(row.session).root)  # a goal may have waited for one that never began
    drop_ended(tx, ring)
    return ring


def _tasks(tx: Tx, branch: BranchKey, place: Place) -> list[GivenTask]:
    """By the round that gave them: of a turn that is cut in the middle only the later ones."""
    rounds = rounds_of(place.left)
    found = tx.open_tasks_of_turns(branch, sorted({turn for turn, _ in rounds}))
    return [given for given in found if (given.turn, given.round) in rounds]


def _view(
    tx: Tx, row: Branch, place: Place, placed: Sequence[PlacedMail], tasks: Sequence[GivenTask]
) -> RevertView:
    rounds, goal = rounds_of(place.left), tx.open_goal(row.key)
    return RevertView(
        session_id=tx.session_row(row.session).public_id, place=place.address, dry_run=True,
        nodes_left=len(place.left), sealed_id="", keeps_tasks=False,
        read=tuple(mail.message_id for mail in placed if mail.state == State.CONSUMED),
        unread=tuple(mail.message_id for mail in placed if mail.state == State.ACCEPTED),
        tasks=tuple(
            LeftTask(
                task_id=tx.message_id(given.task), agent=given.agent, session_id=given.session_id,
                description=given.description,
            )
            for given in tasks
        ),
        agents=tuple(m.session_id for m in tx.agents_made_by(row.key) if (m.turn, m.round) in rounds),
        work=tuple(w.label for w in tx.open_work_of_branch(row.key) if (w.turn, w.round) in rounds),
        goal=goal.text if goal is not None else "",
    )  # fmt: skip
