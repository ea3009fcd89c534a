"""What the terminal asks of a daemon over HTTP, in the shapes of the API."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self, TypeAlias, TypeVar, cast
from urllib.parse import quote

import httpx2
from pydantic import TypeAdapter

from postroom.daemon.own_token import read_own_token
from postroom.daemon.presence import found
from postroom.daemon.protocol import PREFIX, PROTOCOL_HEADER, PROTOCOL_VERSION
from postroom.daemon.wire import DoorClosed, Failure, Told
from postroom.domain.plain import Json

T = TypeVar("T")
Query: TypeAlias = Mapping[str, str | int | None]
ANSWER_S: Final = 15.0
"""How long an answer may take."""
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

    def __init__(self, url: str, secret: str) -> None:
        headers = {"authorization": f"Bearer {secret}", PROTOCOL_HEADER: str(PROTOCOL_VERSION)}
        self._http = httpx2.AsyncClient(
            base_url=f"{url}{PREFIX}", headers=headers, timeout=ANSWER_S, trust_env=False
        )

    @classmethod
    def of_store(cls, folder: Path) -> Self:
        """To the daemon that runs a store. Raises `DoorClosed` when none does."""
        presence, secret = found(folder), read_own_token(folder)
        if presence is None or secret is None:
            raise DoorClosed(
                f"no daemon runs the store in {folder}", remedy="start one: postroom up --detach"
            )
        return cls(presence.url, secret)

    async def __aenter__(self) -> Self:
        """Nothing is asked yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hang up."""
        await self._http.aclose()

    async def get(self, path: str, shape: type[T], query: Query | None = None) -> T:
        """One view. Raises `Told` with the daemon's code, `DoorClosed` when it is not there."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            answer = await self._http.get(path, params=given)
        except httpx2.HTTPError as error:
            raise _gone(error) from error
        _refuse(answer.status_code, answer.content)
        return cast("T", _reader(shape).validate_json(answer.content))

    async def do(self, path: str, given: Mapping[str, Json] | None = None) -> Json:
        """One deed; what the daemon says to it. Raises as `get`."""
        try:
            answer = await self._http.post(path, json=dict(given or {}))
        except httpx2.HTTPError as error:
            raise _gone(error) from error
        _refuse(answer.status_code, answer.content)
        return cast("Json", json.loads(answer.content)) if answer.content else None

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
        f"{_HERE} does not answer: {type(error).__name__}", remedy="look with `postroom status`"
    )
