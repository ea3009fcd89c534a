"""An agent waits for a change: of the sessions that it named, or of any that it may reach.

A change is an entry of the log behind the place where the wait began, so nothing that was before ends it and
nothing after it is missed. Mail that the next boundary takes ends it as well. Whoever waits is not asked for
by those who change: one reader of the log looks for all of them (`runtime.change_watch`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, CallKey
from postroom.domain.receipt import Refusal
from postroom.domain.turn import EndedBy, Turn, TurnState
from postroom.rules.naming import printed
from postroom.rules.reach import Why
from postroom.service.neighbours import View, Viewer, find_neighbour, view_of, why_not
from postroom.service.peer_card import NOT_FOUND, log_masked
from postroom.service.waits import begin_wait, end_wait, mail_enters
from postroom.store.tx import Tx
from postroom.store.tx_neighbours import ARCHIVED, IDLE, PAUSED, Neighbour, News
from postroom.store.tx_waits import CHANGE, NewWait, Target

PAGE: Final = 500
CHANGES_MAX: Final = 100
"""Sessions that one wait tells of."""
STATUS, CREATED, MAIL, DELETED = "status", "created", "mail", "deleted"
_BORN: Final = frozenset({EventKind.SESSION_CREATED, EventKind.SESSION_FORKED})
_STANDS: Final[Mapping[str, str]] = {
    EventKind.TURN_WAITING: TurnState.WAITING,
    EventKind.TURN_STARTED: TurnState.RUNNING,
    EventKind.TURN_SUSPENDED: TurnState.SUSPENDED,
    EventKind.TURN_RESUMED: TurnState.RUNNING,
    EventKind.BRANCH_PAUSED: PAUSED,
    EventKind.BRANCH_ARCHIVED: ARCHIVED,
}
"""How an agent stands after an entry of the log; the end of a turn says it itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One session that stands otherwise than before, or mail that came for the one that waits."""

    session_id: str
    what: str
    """`status`, `created`, or `mail`."""
    before: str
    """How it stood; of mail, the session that wrote it, where it has an address."""
    after: str
    """How it stands; of mail, the session that it is for."""
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesView:
    """How a wait for changes has ended."""

    changes: tuple[Change, ...] = ()
    timed_out: bool = False
    is_alone: bool = False
    """There is nobody in reach whose change could be waited for."""
    is_stopped: bool = False
    """The person has stopped everybody whom it named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an agent asks to wait for."""

    session_ids: Sequence[str]
    viewer: Viewer
    is_alone: bool
    """It named nobody, and nobody is in reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What one waiting call looks for, and up to which place of the log it has looked."""

    call: CallKey
    viewer: Viewer
    targets: frozenset[BranchKey]
    """Nobody: everybody in reach."""
    pos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """What came of the beginning of a wait: it goes on, it has returned, or it was refused."""

    watch: Watch | None = None
    refusal: Refusal | None = None


RenderChanges: TypeAlias = Callable[[ChangesView], str]
"""The surface's words for the end of a wait."""


def begin_watch(tx: Tx, turn: Turn, call: CallKey, wanted: Wanted, render: RenderChanges) -> Begun:
    """Wait for changes from this place of the log on; the turn is suspended. A retry of the call waits on.

    It returns at once where nobody is in reach, where the person has stopped everybody who was named, or
    where mail waits that the next boundary takes.
    """
    tx.own(turn.key, turn.fence)
    before = tx.wait_of_call(call)
    if before is not None and before.since_pos is not None:
        targets = frozenset(t.branch for t in tx.targets_of_wait(call) if t.branch is not None)
        watch = Watch(call=call, viewer=wanted.viewer, targets=targets, pos=before.since_pos)
        return Begun(watch=watch)
    view = view_of(tx, wanted.viewer)
    named = _named(tx, view, wanted.session_ids)
    if isinstance(named, Why):
        log_masked(tx, turn, call, named)
        return Begun(refusal=NOT_FOUND)
    mail, is_stopped = tuple(_mail(tx, view, ())), bool(named) and all(one.is_paused for one in named)
    if mail or wanted.is_alone or is_stopped:
        at_once = ChangesView(is_alone=wanted.is_alone, is_stopped=is_stopped)
        _return(tx, turn, call, render, ChangesView(changes=mail) if mail else at_once)
        return Begun()
    targets = frozenset(one.branch for one in named)
    watch = Watch(call=call, viewer=wanted.viewer, targets=targets, pos=tx.last_pos())
    return _begin(tx, turn, view, watch)


def _named(tx: Tx, view: View, session_ids: Sequence[str]) -> list[Neighbour] | Why:
    """Everybody who was named; who is missing is found only after all were looked for."""
    found = [find_neighbour(tx, view, session_id) for session_id in session_ids]
    missing = next((one for one in found if isinstance(one, Why)), None)
    return missing or [one for one in found if not isinstance(one, Why)]


def _begin(tx: Tx, turn: Turn, view: View, watch: Watch) -> Begun:
    by_mail = tx.policy(view.own.policy).waits_end != "never"
    targets = [Target(branch=branch) for branch in sorted(watch.targets)]
    new = NewWait(kind=CHANGE, by_mail=by_mail, since_pos=watch.pos, targets=targets)
    begin_wait(tx, turn.session, turn.branch, turn.key, watch.call, new)
    return Begun(watch=watch)


def collect_changes(
    tx: Tx, turn: Turn, watch: Watch, render: RenderChanges, *, gives_up: bool
) -> Watch | None:
    """End the wait if there is something to tell, or its time is up; else the watch, looked further."""
    tx.own(turn.key, turn.fence)
    view = view_of(tx, watch.viewer)
    news = list(_news_behind(tx, watch.pos))
    changes = (*_mail(tx, view, news), *_changes(tx, view, watch, news))[:CHANGES_MAX]
    if not changes and not gives_up:
        return replace(watch, pos=tx.last_pos())
    end_wait(tx, turn.session, turn.branch, turn.key, watch.call)
    _return(tx, turn, watch.call, render, ChangesView(changes=changes, timed_out=not changes))
    return None


def _return(tx: Tx, turn: Turn, call: CallKey, render: RenderChanges, view: ChangesView) -> None:
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, render(view), is_error=False)


def _news_behind(tx: Tx, pos: int) -> Iterator[News]:
    while page := tx.news_after(pos, PAGE):
        yield from page
        pos = page[-1].pos


def _mail(tx: Tx, view: View, news: Iterable[News]) -> Iterator[Change]:
    """Mail that the next boundary of the waiting turn takes; what came before the wait is not in the news."""
    if tx.policy(view.own.policy).waits_end == "never" or not mail_enters(tx, view.own.branch):
        return
    own, came = view.own.public_id, [one for one in news if _is_mail_for(one, view.own.branch)]
    for one in came:
        yield Change(
            session_id=own, what=MAIL, before=_writer(tx, view, one.sender), after=own, at_us=one.at_us
        )
    if not came:
        yield Change(session_id=own, what=MAIL, before="", after=own, at_us=tx.now_us)


def _is_mail_for(news: News, branch: BranchKey) -> bool:
    return news.kind == EventKind.MESSAGE_ACCEPTED and news.branch == branch


def _writer(tx: Tx, view: View, sender: BranchKey | None) -> str:
    """Who wrote it, in the grammar of the one that waits; empty for the person and the runtime."""
    if sender is None:
        return ""
    row = tx.recipient_by_branch(None, sender)
    addressing = tx.policy(view.own.policy).addressing
    return printed(addressing, row.public_id, row.handle, row.branch_id, is_active=bool(row.is_active))


def _changes(tx: Tx, view: View, watch: Watch, news: Iterable[News]) -> Iterator[Change]:
    """One for each session, in the order in which they changed first."""
    by_branch: dict[BranchKey, list[News]] = {}
    for one in news:
        if one.branch is not None and _may_concern(watch, view.own.branch, one):
            by_branch.setdefault(one.branch, []).append(one)
    for branch, told in by_branch.items():
        change = _change(tx, view, branch, told)
        if change is not None:
            yield change


def _may_concern(watch: Watch, own: BranchKey, news: News) -> bool:
    is_other = news.kind != EventKind.MESSAGE_ACCEPTED and news.branch != own
    return is_other and (not watch.targets or news.branch in watch.targets)


def _change(tx: Tx, view: View, branch: BranchKey, told: Sequence[News]) -> Change | None:
    row = tx.neighbour_of_branch(branch)
    if (
        row is None
        or tx.session_row(row.session).active_branch != branch
        or why_not(tx, view, row) is not None
    ):
        return None
    is_new = told[0].kind in _BORN
    before = "" if is_new else _stood(tx.stand_before(row.session, told[0].pos - 1, branch))
    return Change(
        session_id=row.session_id, what=CREATED if is_new else STATUS, before=before,
        after=DELETED if row.is_deleted else row.status, at_us=told[-1].at_us,
    )  # fmt: skip


def _stood(told: tuple[str, str] | None) -> str:
    """How an agent stood after the last entry about it."""
    if told is None:
        return IDLE
    kind, state = told
    return state if kind == EventKind.TURN_ENDED else _STANDS.get(kind, IDLE)


def concerned(tx: Tx, watches: Sequence[Watch], pos: int) -> tuple[int, frozenset[CallKey]]:
    """Whose waits the log behind a place may end, and how far was looked."""
    news = tx.news_after(pos, PAGE)
    until = news[-1].pos if len(news) == PAGE else tx.last_pos()
    return until, frozenset(watch.call for watch in watches if news and _concerns(tx, watch, news))


def _concerns(tx: Tx, watch: Watch, news: Sequence[News]) -> bool:
    behind = [one for one in news if one.pos > watch.pos]
    if any(_is_mail_for(one, watch.viewer.branch) for one in behind):
        return True
    return bool(behind) and next(_changes(tx, view_of(tx, watch.viewer), watch, behind), None) is not None
