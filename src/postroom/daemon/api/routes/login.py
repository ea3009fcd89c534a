"""Logging a browser in and out, and who one is."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from postroom.daemon.api import login as logins
from postroom.daemon.api.doorman import LOGIN_PATH
from postroom.daemon.api.given import Given
from postroom.daemon.api.guard import Admin, Read, Who, house_of
from postroom.daemon.api.login import LoginLink, make_link
from postroom.domain.token import Scope

router = APIRouter(tags=["access"])
page_router = APIRouter()
"""What stands outside of the API, because a person's browser opens it."""


class LinkGiven(Given):
    """What whoever opens the link may do."""

    scope: Annotated[Scope, Field(strict=False)] = Scope.ADMIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """Who calls, as the daemon knows it."""

    name: str
    scope: Scope
    token_id: str
    """Empty for a program of the same person on the daemon's machine."""
    is_page: bool
    """It is the login of a browser."""
    expires_us: int | None


@router.get("/me")
async def me(house: Read, who: Who) -> Me:
    """Who the caller is, and what it may do."""
    del house
    return Me(
        name=who.name, scope=who.scope, token_id=who.token_id, is_page=who.is_page, expires_us=who.expires_us
    )


@router.post("/login/links", status_code=201)
async def login_link(house: Admin, request: Request, given: LinkGiven | None = None) -> LoginLink:
    """A link that logs one browser in: good once, and for ten minutes."""
    base = f"{request.url.scheme}://{request.headers['host']}"
    return make_link(house, base, (given or LinkGiven()).scope)


@router.post("/logout", status_code=204)
async def logout(house: Read, who: Who, request: Request, response: Response) -> None:
    """End a login: its cookie opens nothing any more. Of a token it ends nothing; that is revoked."""
    if who.is_page:
        await house.room.revoke_token(who.token_id)
        logins.log_out(request, response)


@page_router.get(LOGIN_PATH, include_in_schema=False, response_class=HTMLResponse)
async def log_in(request: Request, code: Annotated[str, Query()] = "") -> Response:
    """Spend a link."""
    return await logins.log_in(house_of(request), request, code)
