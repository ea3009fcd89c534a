"""The mail timeline: who wrote to whom, when, and what became of it."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon.api.faults import HttpFault
from postroom.daemon.api.given import Id, Key, SomeAgent
from postroom.daemon.api.guard import Read
from postroom.domain.message import Kind
from postroom.errors import NotFound
from postroom.observe.mail_timeline import PAGE_MAX, MailQuery, mail_page, mail_view
from postroom.observe.mail_views import MailPage, MailView
from postroom.rules.naming import SHOWN_CHARS

router = APIRouter(tags=["messages"])


class MailState(StrEnum):
    """How a message may stand with one of its recipients."""

    HELD = "held"
    ACCEPTED = "accepted"
    PARKED = "parked"
    """Accepted, given back by a turn that died, and not to wake anybody by itself."""
    CLAIMED = "claimed"
    CONSUMED = "consumed"
    DISCARDED = "discarded"
    UNDELIVERED = "undelivered"
    POSTED = "posted"
    """On the bus of a turn, where nobody has taken it yet."""


@router.get("/messages")
async def messages(  # noqa: PLR0913 -- the filters of the timeline have a name each
    house: Read, agent: SomeAgent = None, session: SomeAgent = None, between: SomeAgent = None,
    state: MailState | None = None, kind: Kind | None = None,
    before: Key = None,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
) -> MailPage:  # fmt: skip
    """Mail, newest first: of an agent, between it and another one, of the tree of a session, or all of it.

    `before` is the `next` of the page before. A page looks at a bounded number of messages, so one that a
    filter leaves empty may have a `next` all the same.
    """
    if between and not agent:
        raise HttpFault("between: names the other agent, so it needs `agent`", remedy="give both agents")
    query = MailQuery(
        agent=agent or "", session=session or "", between=between or "", state=state or "", kind=kind or "",
        before=before, limit=limit,
    )  # fmt: skip
    return await house.room.store.read(mail_page, query)


@router.get("/messages/{message}")
async def message(house: Read, message: Id) -> MailView:
    """One message with its whole text and how it stands with every recipient; also by the id of a task."""
    found = await house.room.store.read(mail_view, message)
    if found is None:
        msg = f"no message has the id {message[:SHOWN_CHARS]!r}"
        raise NotFound(msg, remedy="the mail timeline lists the messages with their ids")
    return found
