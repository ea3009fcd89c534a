"""Who may call an endpoint: every route takes the house through one of three doors, by scope."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from http import HTTPStatus
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.types import Scope as Asked

from postroom.daemon.api.access import Caller
from postroom.daemon.api.faults import HttpFault
from postroom.daemon.api.house import House
from postroom.domain.token import Scope

__all__ = [
    "Admin", "Caller", "ForbiddenScope", "House", "Operate", "Read", "Scope", "Unauthenticated", "Who",
    "caller_of", "house_of", "need", "place_for",
]  # fmt: skip


class Unauthenticated(HttpFault):
    """No token was shown, or one that opens nothing: unknown, revoked or expired. It is not said which."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthenticated"

    def __init__(self) -> None:
        super().__init__(
            "a token is needed, and none that opens anything was shown",
            remedy="send one as `Authorization: Bearer ...` (`postroom token add`); for the page, "
            "`postroom open` gives a new link",
        )

    @property
    def headers(self) -> dict[str, str]:
        """What kind of token is meant."""
        return {"www-authenticate": "Bearer"}


class ForbiddenScope(HttpFault):
    """The token is known and may not do this. Use one with the scope that the message names."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden_scope"


def house_of(request: Request) -> House:
    """The house itself, for the few routes that anybody may call."""
    house: House = request.app.state.house
    return house


# The two that follow wait for nothing and are `async` all the same: what is not, FastAPI calls in a thread.
async def caller_of(request: Request) -> Caller:
    """Who calls. Raises `Unauthenticated`."""
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        raise Unauthenticated
    return caller


_Shown: TypeAlias = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]
"""So that the document says how; the doorman has looked at it long before."""


def need(scope: Scope) -> Callable[..., Awaitable[House]]:
    """A dependency that lets only callers with a scope through to the house."""

    async def check(request: Request, _shown: _Shown) -> House:
        caller = await caller_of(request)
        if not caller.scope.covers(scope):
            raise ForbiddenScope(
                f"this needs the scope {scope.value}, and the token has {caller.scope.value}",
                remedy="nothing was done",
            )
        return house_of(request)

    return check


Read: TypeAlias = Annotated[House, Depends(need(Scope.READ))]
Operate: TypeAlias = Annotated[House, Depends(need(Scope.OPERATE))]
Admin: TypeAlias = Annotated[House, Depends(need(Scope.ADMIN))]
Who: TypeAlias = Annotated[Caller, Depends(caller_of)]
"""Who calls, for routes that need to know; beside one of the three, never in its place."""


@contextlib.contextmanager
def place_for(house: House, caller: Caller) -> Generator[asyncio.Event]:
    """A place for one open stream, and an event that is set when its token is revoked or expires.

    Raises `TooManyStreams`.
    """
    with (
        house.access.streams.place(caller.token_id),
        house.room.watch_token(caller.token_id, caller.expires_us) as ended,
    ):
        yield ended


def remember(asked: Asked, caller: Caller | None) -> None:
    """Note who calls, where `caller_of` finds it."""
    asked.setdefault("state", {})["caller"] = caller
