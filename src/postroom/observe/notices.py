"""What the person was told and should read."""

from dataclasses import dataclass
from typing import Final

from postroom.domain.keys import NEWEST
from postroom.store.tx import Tx
from postroom.store.tx_pages import ShownNotice

COUNTED_MAX: Final = 1_000
"""How far unread notices are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """One notice, and when it was read: nothing while nobody has."""

    notice: int
    session_id: str
    agent: str
    """The agent that its session is of."""
    code: str
    text: str
    created_us: int
    seen_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """Notices, those that nobody has read first, each half newest first.

    `next` is what the following page begins behind, if there is one.
    """

    notices: list[NoticeView]
    unseen: int
    """How many nobody has read, counted no further than a thousand."""
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How many notices were read for the first time."""

    seen: int


def notice_page(tx: Tx, before: str | None, limit: int) -> NoticePage:
    """At most `limit` notices behind a place, which is `unseen-KEY` or `seen-KEY`."""
    half, _, key = (before or f"unseen-{NEWEST}").partition("-")
    found = tx.unseen_notices(int(key), limit + 1) if half == "unseen" else []
    if len(found) <= limit:
        behind = int(key) if half == "seen" else NEWEST
        found += tx.seen_notices(behind, limit + 1 - len(found))
    shown = found[:limit]
    return NoticePage(
        notices=[_notice(row) for row in shown], unseen=tx.count_unseen(COUNTED_MAX),
        next=_place(shown[-1]) if len(found) > limit else None,
    )  # fmt: skip


def _place(row: ShownNotice) -> str:
    return f"{'unseen' if row.seen_us is None else 'seen'}-{row.notice}"


def _notice(row: ShownNotice) -> NoticeView:
    return NoticeView(
        notice=row.notice, session_id=row.session_id, agent=row.agent, code=row.code, text=row.body,
        created_us=row.created_us, seen_us=row.seen_us,
    )  # fmt: skip
