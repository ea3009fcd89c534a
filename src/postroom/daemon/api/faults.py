"""Every failure of the API in one form: a stable code, the cause and the remedy, with a fitting status."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from postroom.daemon.wire import Failure, InvalidArguments, failure_of
from postroom.domain.plain import Json
from postroom.domain.receipt import Code
from postroom.errors import Fault, NotFound, Refused, RoomClosed, StoreFault

BODY: Final = "send one JSON object in UTF-8, with `Content-Type: application/json`"
"""What a body should have been."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemCause:
    """What went wrong: a stable code, the cause, and what would be right. It is a `wire.Failure`, as JSON."""

    code: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The body of every answer that is no success."""

    error: ProblemCause


class HttpFault(Fault):
    """A request is wrong in a way that only HTTP knows. Nothing was done."""

    status: ClassVar[HTTPStatus] = HTTPStatus.BAD_REQUEST
    code = "bad_request"

    @property
    def headers(self) -> Mapping[str, str]:
        """What the answer says beside its body."""
        return {}


_STATUS: Final[Mapping[type[BaseException], HTTPStatus]] = {
    NotFound: HTTPStatus.NOT_FOUND,
    Refused: HTTPStatus.CONFLICT,
    InvalidArguments: HTTPStatus.UNPROCESSABLE_ENTITY,
    RoomClosed: HTTPStatus.SERVICE_UNAVAILABLE,
    StoreFault: HTTPStatus.SERVICE_UNAVAILABLE,
    Fault: HTTPStatus.BAD_REQUEST,
}

_STATUS_OF_CODE: Final[Mapping[str, HTTPStatus]] = {
    **dict.fromkeys(
        (Code.UNKNOWN_REFERENCE, Code.UNKNOWN_TASK, Code.UNKNOWN_MESSAGE, Code.UNKNOWN_PROFILE),
        HTTPStatus.NOT_FOUND,
    ),
    **dict.fromkeys(
        (
            Code.INVALID_BODY,
            Code.INVALID_ARGUMENTS,
            Code.INVALID_QUERY,
            Code.INVALID_NAME,
            Code.INVALID_TITLE,
        ),
        HTTPStatus.UNPROCESSABLE_ENTITY,
    ),
}
"""Refusals that are no conflict with how things stand."""


def problem(status: int, failure: Failure) -> JSONResponse:
    """An answer that tells a failure."""
    return JSONResponse({"error": failure.as_json()}, status_code=status)


def answer_to(fault: Fault) -> JSONResponse:
    """The answer that tells a fault."""
    answer = problem(_status_of(fault), failure_of(fault))
    if isinstance(fault, HttpFault):
        answer.headers.update(fault.headers)
    return answer


def tell_failures(app: FastAPI) -> None:
    """Let every failure of an app's routes be answered in the one form."""
    app.add_exception_handler(Fault, _fault)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _crash)


def _fault(request: Request, error: Exception) -> JSONResponse:
    del request
    assert isinstance(error, Fault)  # noqa: S101 -- what this handler is registered for
    return answer_to(error)


def _status_of(error: Exception) -> int:
    if isinstance(error, HttpFault):
        return error.status
    if isinstance(error, Refused) and error.refusal_code in _STATUS_OF_CODE:
        return _STATUS_OF_CODE[error.refusal_code]
    kinds = (kind for kind in _STATUS if isinstance(error, kind))
    return _STATUS[next(kinds)]


def _crash(request: Request, error: Exception) -> JSONResponse:
    """A mistake of this program; what was raised goes to the log and to nobody else."""
    del request, error
    failure = Failure(code="crashed", message="the daemon has made a mistake", remedy="its log says more")
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, failure)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """The first mistake, named by its place; what was given is not repeated: it may be a secret."""
    del request
    assert isinstance(error, RequestValidationError)  # noqa: S101 -- what this handler is registered for
    first: Mapping[str, Json] = error.errors()[0]
    place = first["loc"]
    where = ".".join(str(part) for part in place) if isinstance(place, tuple | list) else ""
    is_whole = first["type"] == "json_invalid" or where == "body"
    remedy = BODY if is_whole else "nothing was done"
    failure = Failure(code="invalid_arguments", message=f"{where}: {first['msg']}", remedy=remedy)
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, failure)


def _http(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses: a method that there is not, and a body that is no text at all."""
    del request
    assert isinstance(error, HTTPException)  # noqa: S101 -- what this handler is registered for
    headers = error.headers or {}
    methods = {name.lower(): value for name, value in headers.items()}.get("allow", "")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        failure = Failure(
            "method_not_allowed", "there is nothing like that to do there", f"it takes {methods}"
        )
    else:
        failure = Failure(HttpFault.code, "the body cannot be read as JSON", BODY)
    answer = problem(error.status_code, failure)
    answer.headers.update(headers)
    return answer
