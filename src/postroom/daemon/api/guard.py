"""Who may call an endpoint: every route takes the house through one of three doors, by scope."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from postroom.daemon.api.house import House


class Scope(StrEnum):
    """What a token is good for; each includes those before it."""

    READ = "read"
    """See everything."""
    OPERATE = "operate"
    """Speak, steer, stop and decide as the person."""
    ADMIN = "admin"
    """Delete, change rights and hand out tokens."""


def need(scope: Scope) -> Callable[[Request], House]:
    """A dependency that lets only callers with a scope through to the house."""

    def check(request: Request) -> House:
        request.state.scope_needed = scope
        house: House = request.app.state.house
        return house

    return check


Read: TypeAlias = Annotated[House, Depends(need(Scope.READ))]
Operate: TypeAlias = Annotated[House, Depends(need(Scope.OPERATE))]
Admin: TypeAlias = Annotated[House, Depends(need(Scope.ADMIN))]
