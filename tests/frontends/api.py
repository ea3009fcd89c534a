"""A caller of the HTTP API: what an endpoint answers, and with which code it refuses."""

import contextlib
from collections.abc import Mapping
from typing import TypeAlias, cast

import httpx2

from postroom.daemon.api.guard import Scope
from postroom.domain.plain import Json
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, serving

Object: TypeAlias = Mapping[str, Json]


class Api:
    """Asks as one client. A success is never taken for a refusal, nor the other way round."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def get(self, path: str, **query: str | int | bool) -> Json:
        """What a page shows."""
        return _told(await self.client.get(path, params=query))

    async def shown(self, path: str, **query: str | int | bool) -> Object:
        """The same of a page that shows one thing."""
        return the(await self.get(path, **query))

    async def listed(self, path: str, **query: str | int | bool) -> list[Object]:
        """The same of a page that shows several."""
        return objects(await self.get(path, **query))

    async def post(self, path: str, **given: Json) -> Object:
        """What a deed gives; nothing where it gives nothing."""
        answer = await self.client.post(path, json=given)
        return the(_told(answer)) if answer.content else {}

    async def delete(self, path: str) -> Object:
        """What came of taking something away."""
        answer = await self.client.delete(path)
        return the(_told(answer)) if answer.content else {}

    async def refused(self, method: str, path: str, given: object = None) -> tuple[int, str]:
        """Status and code of a refusal, which has a cause in words."""
        return refusal(await self.client.request(method, path, json=given))


class Reach:
    """A daemon over a world that its test has filled, begun when somebody first calls it."""

    def __init__(self, world: World, stack: contextlib.AsyncExitStack) -> None:
        self._world = world
        self._stack = stack
        self._daemon: Daemon | None = None

    async def __call__(self, scope: Scope = Scope.OPERATE) -> Api:
        """A caller with a scope: as a rule one that may do what the person's own hand does."""
        if self._daemon is None:
            self._daemon = await self._stack.enter_async_context(serving(await self._world.open()))
        return Api(self._daemon.client(scope))


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of an answer that is no success."""
    assert answer.is_error, answer.text
    failure: dict[str, dict[str, str]] = answer.json()
    assert set(failure["error"]) == {"code", "message", "remedy"}
    assert failure["error"]["message"]
    return answer.status_code, failure["error"]["code"]


def the(value: Json) -> Object:
    """A JSON object."""
    assert isinstance(value, dict), value
    return value


def objects(value: Json) -> list[Object]:
    """A JSON list of objects."""
    return [the(one) for one in cast("list[Json]", value)]


def _told(answer: httpx2.Response) -> Json:
    assert answer.is_success, answer.text
    found: Json = answer.json()
    return found
