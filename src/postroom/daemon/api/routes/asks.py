"""What agents ask the person: leave for a call, or a question."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from postroom.daemon import decisions
from postroom.daemon.api.given import Given, Id, Line, SomeAgent, Words
from postroom.daemon.api.guard import Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.ask import AskKind, Scope
from postroom.domain.receipt import Code
from postroom.observe.asks import AskView, StandingAsk

router = APIRouter(prefix="/asks", tags=["asks"])


class LeaveGiven(Given):
    """Leave for this call alone, or for this kind of deed in its tree."""

    scope: Annotated[Scope, Field(strict=False)] = Scope.ONCE


class DenialGiven(Given):
    """What the agent reads."""

    reason: Line = ""


class AnswerGiven(Given):
    """The person's words; of a question with options the words of one, or its number."""

    text: Words


@router.get("")
async def asks(house: Read, session: SomeAgent = None, kind: AskKind | None = None) -> list[AskView]:
    """What is open, of a session's tree or of all, oldest first; a child's ask is among them."""
    house.room.check_open()
    return [ask for ask in await house.room.asks(session) if kind in (None, ask.kind)]


@router.post("/{ask}/approve", openapi_extra=refuses(Code.ALREADY_DECIDED, Code.INVALID_ARGUMENTS))
async def approve(house: Operate, ask: Id, given: LeaveGiven) -> StandingAsk:
    """Give leave. The ask may be named by its id, or by 8 or more of its last characters."""
    return await decisions.approve(house.room, ask, given.scope)


@router.post("/{ask}/deny", openapi_extra=refuses(Code.ALREADY_DECIDED, Code.INVALID_ARGUMENTS))
async def deny(house: Operate, ask: Id, given: DenialGiven) -> StandingAsk:
    """Refuse leave."""
    return await decisions.deny(house.room, ask, given.reason)


@router.post(
    "/{ask}/answer", openapi_extra=refuses(Code.ALREADY_DECIDED, Code.INVALID_BODY, Code.INVALID_ARGUMENTS)
)
async def answer(house: Operate, ask: Id, given: AnswerGiven) -> StandingAsk:
    """Answer a question."""
    return await decisions.answer(house.room, ask, given.text)
