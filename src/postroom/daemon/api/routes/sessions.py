"""Sessions: to find them, to begin one, to call it otherwise, to delete it, and the branches in them."""

from typing import Annotated

from fastapi import APIRouter, Query

from postroom.daemon import shelf
from postroom.daemon.api.given import (
    LISTED,
    AskMode,
    Dollars,
    Folder,
    Given,
    Limit,
    Line,
    Name,
    Reference,
    Tokens,
    Words,
)
from postroom.daemon.api.guard import Admin, Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.daemon.api.routes.deeds import Prompted, prompted
from postroom.domain.receipt import Code
from postroom.observe.sessions import (
    BranchView,
    SessionDetail,
    SessionPage,
    branch_list,
    session_detail,
    session_page,
)
from postroom.service.names import Retitled

router = APIRouter(prefix="/sessions", tags=["sessions"])
_Behind = Annotated[str | None, Query(pattern=r"^\d{1,16}-\d{1,16}$", max_length=40)]


class SessionGiven(Given):
    """A new session begins with the first text to its agent."""

    text: Words
    profile: Name | None = None
    """The team's entry profile without one."""
    cwd: Folder | None = None
    """Where its agents work: any directory of the daemon's machine, by its whole real path."""
    team: Folder | None = None
    """The folder of a team that `GET /profiles` lists; the daemon's own without one."""
    mode: AskMode | None = None
    """Who decides what its agents ask; as the team says without one."""
    attended: bool = True
    """Whether somebody is there to answer its agents' questions."""
    max_tokens: Tokens | None = None
    """What all that grows out of the text may spend; 0 is no limit."""
    max_cost_usd: Dollars | None = None
    client_id: Name | None = None
    """Saying it again under the same id gives the first receipt and begins nothing."""


class TitleGiven(Given):
    """The new title."""

    title: Line


@router.get("")
async def sessions(
    house: Read, before: _Behind = None, limit: Limit = LISTED, *, roots: bool = False
) -> SessionPage:
    """Sessions, the last active first; with `roots` only those that the person began.

    `before` is the `next` of the page before.
    """
    active_us, _, key = (before or "").partition("-")
    behind = (int(active_us), int(key)) if before else None
    return await house.room.store.read(session_page, behind, limit, roots=roots)


@router.post(
    "",
    status_code=201,
    openapi_extra=refuses(
        Code.INVALID_BODY,
        "bad_folder",
        Code.IDEMPOTENCY_CONFLICT,
        Code.PRICE_UNKNOWN,
        "config_invalid",
        "not_found",
    ),
)
async def create_session(house: Operate, given: SessionGiven) -> Prompted:
    """Begin a session with a profile in a directory, by saying its first text."""
    return prompted(await house.room.prompt(
        given.text, profile=given.profile, client_id=given.client_id, mode=given.mode,
        attended=given.attended, max_tokens=given.max_tokens, max_cost_usd=given.max_cost_usd,
        team=given.team, cwd=given.cwd,
    ))  # fmt: skip


@router.get("/{session}")
async def session(house: Read, session: Reference) -> SessionDetail:
    """One session with its rights, its numbers and its limits."""
    return await house.room.store.read(session_detail, session)


@router.delete("/{session}", openapi_extra=refuses(Code.NOT_IDLE))
async def delete_session(house: Admin, session: Reference) -> shelf.DeletedView:
    """Delete a session for good, by its own id or handle: it reads as absent, and its texts go."""
    return await shelf.delete_session(house.room, session)


@router.post("/{session}/retitle", openapi_extra=refuses(Code.INVALID_TITLE))
async def retitle(house: Operate, session: Reference, given: TitleGiven) -> Retitled:
    """Give a session another title than its first words: one line of at most 80 characters."""
    return await house.room.retitle(session, given.title)


@router.get("/{session}/branches")
async def branches(house: Read, session: Reference) -> list[BranchView]:
    """Every branch of a session. A picker leaves out those that are `internal`: agents made them (OP-18)."""
    return await house.room.store.read(branch_list, session)
