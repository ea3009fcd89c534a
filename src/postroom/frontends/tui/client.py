"""What the terminal asks of a daemon over HTTP, in the shapes of the API."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self, TypeAlias, TypeVar, cast
from urllib.parse import quote

import httpx2
from pydantic import TypeAdapter

from postroom.daemon.wire import DoorClosed, Failure, Told
from postroom.domain.plain import Json
from postroom.frontends.tui.reaching import ANSWER_S, Reach, connected, reach_of

T = TypeVar("T")
Query: TypeAlias = Mapping[str, str | int | None]
SILENCE_S: Final = 40.0
"""A stream says something every 15 seconds; after so long a silence it is dead."""
_HERE: Final = "the daemon of this store"


class Frame(NamedTuple):
    """One frame of the stream. Without an `id` it moves no cursor."""

    event: str
    id: int | None
    data: Json


class Client:
    """One person's way to a daemon. Use it as a context."""

    def __init__(self, url: str, secret: str, *, certificate: str = "", folder: Path | None = None) -> None:
        """`folder`: the store whose daemon is meant, also after it was started anew somewhere else."""
        self._reach = Reach(url=url, secret=secret, certificate=certificate)
        self._folder = folder
        self._http = connected(self._reach)
        self._left: list[httpx2.AsyncClient] = []

    @classmethod
    def of_store(cls, folder: Path) -> Self:
        """To the daemon that runs a store. Raises `DoorClosed` when none does."""
        reach = reach_of(folder)
        return cls(reach.url, reach.secret, certificate=reach.certificate, folder=folder)

    async def __aenter__(self) -> Self:
        """Nothing is asked yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hang up."""
        for http in (*self._left, self._http):
            await http.aclose()

    def renew(self) -> None:
        """Look where the daemon is now: each has a key of its own, and maybe another port.

        Raises `DoorClosed` when none runs the store.
        """
        if self._folder is None or (reach := reach_of(self._folder)) == self._reach:
            return
        http = connected(reach)
        self._left.append(self._http)  # something may still be asked there
        self._reach, self._http = reach, http

    async def get(self, path: str, shape: type[T], query: Query | None = None) -> T:
        """One view. Raises `Told` with the daemon's code, `DoorClosed` when it is not there."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.get(path, params=given)
        except httpx2.HTTPError as error:
            raise _gone(error) from error
        _refuse(answer.status_code, answer.content)
        try:
            return cast("T", _reader(shape).validate_json(answer.content))
        except ValueError as error:
            raise _strange() from error

    async def do(self, path: str, given: Mapping[str, Json] | None = None) -> Json:
        """One deed; what the daemon says to it. Raises as `get`."""
        try:
            answer = await self._http.post(path, json=dict(given or {}))
        except httpx2.HTTPError as error:
            raise _gone(error) from error
        _refuse(answer.status_code, answer.content)
        try:
            return cast("Json", json.loads(answer.content)) if answer.content else None
        except ValueError as error:
            raise _strange() from error

    async def frames(self, after: int | None) -> AsyncGenerator[Frame, None]:
        """The stream of the whole store behind a position, with the text of models as it comes.

        Ends when the daemon hangs up. Raises as `get`.
        """
        query: dict[str, str | int] = {"text": "all"} | ({} if after is None else {"after": after})
        timeout = httpx2.Timeout(ANSWER_S, read=SILENCE_S)
        try:
            async with self._http.stream("GET", "/events", params=query, timeout=timeout) as answer:
                if answer.is_error:
                    _refuse(answer.status_code, await answer.aread())
                async for frame in parsed(answer.aiter_lines()):
                    yield frame
        except httpx2.HTTPError as error:
            raise _gone(error) from error
        except ValueError as error:
            raise _strange() from error


async def parsed(lines: AsyncIterator[str]) -> AsyncGenerator[Frame, None]:
    """Lines of a stream of events as frames; comments and fields that nobody knows are passed over."""
    event, number, data = "", "", list[str]()
    async for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                event = value
            case "id":
                number = value
            case "data":
                data.append(value)
            case _:
                if not line and data:
                    yield Frame(event, int(number) if number else None, json.loads("\n".join(data)))
                if not line:
                    event, number, data = "", "", []


def place(*parts: str) -> str:
    """A path of the API; each part may hold anything but is one part."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def described(fault: Told | DoorClosed) -> str:
    """What went wrong, with its code and what would be right."""
    return fault.failure.describe() if isinstance(fault, Told) else str(fault)


@cache
def _reader(shape: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(shape)


def _refuse(status: int, content: bytes) -> None:
    """Raise `Told` for any other answer than success."""
    if status < httpx2.codes.BAD_REQUEST:
        return
    try:
        error: dict[str, Json] = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError):
        raise Told(Failure(code=f"http_{status}", message=f"{_HERE} answered {status}")) from None
    said = {name: str(error.get(name, "")) for name in ("code", "message", "remedy")}
    raise Told(Failure(**said))


def _gone(error: httpx2.HTTPError) -> DoorClosed:
    return DoorClosed(
        f"{_HERE} does not answer: {type(error).__name__} {error}".rstrip(),
        remedy="look with `postroom status`",
    )


def _strange() -> Told:
    """What a daemon of another version may say."""
    return Told(
        Failure(
            code="protocol_mismatch",
            message=f"{_HERE} said what this terminal does not know",
            remedy="use the version of Postroom that the daemon has: `postroom status` names it",
        )
    )
