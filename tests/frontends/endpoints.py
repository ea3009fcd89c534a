"""Every endpoint of the application, with the scope that it asks for: read from the code, never listed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from fastapi.dependencies.models import Dependant
from fastapi.params import Depends
from fastapi.routing import APIRoute, iter_route_contexts

from postroom.daemon.api.app import make_app
from postroom.daemon.api.guard import Admin, Operate, Read, Scope
from postroom.daemon.protocol import PREFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path."""

    name: str
    method: str
    path: str
    """From the root, with something in the place of each parameter."""
    scopes: frozenset[Scope]

    @property
    def is_of_api(self) -> bool:
        """Whether it stands under the prefix."""
        return self.path.startswith(PREFIX)


def endpoints() -> list[Endpoint]:
    """All of them."""
    found = list[Endpoint]()
    for context in iter_route_contexts(make_app().routes):
        route = context.original_route
        if isinstance(route, APIRoute):
            scopes, path = frozenset(_scopes(route.dependant)), _filled(context.path or "")
            found += [
                Endpoint(name=route.name, method=method, path=path, scopes=scopes)
                for method in sorted(route.methods or ())
            ]
    return found


def _door(alias: object) -> object:
    """The dependency that `Read` and its like stand for."""
    depends = next(part for part in get_args(alias) if isinstance(part, Depends))
    return depends.dependency


_DOORS = {_door(Read): Scope.READ, _door(Operate): Scope.OPERATE, _door(Admin): Scope.ADMIN}


def _scopes(dependant: Dependant) -> Iterator[Scope]:
    """The scopes that an endpoint asks for, itself and through what it depends on."""
    for dependency in dependant.dependencies:
        if dependency.call in _DOORS:
            yield _DOORS[dependency.call]
        yield from _scopes(dependency)


def _filled(path: str) -> str:
    return "/".join("x1" if part.startswith("{") else part for part in path.split("/"))
