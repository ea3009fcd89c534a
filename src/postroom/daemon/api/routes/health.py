"""The daemon itself: who it is, whether it is well, and its end."""

from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request, Response

from postroom import __version__
from postroom.daemon.api import standing as standings
from postroom.daemon.api.guard import Admin, Read, house_of
from postroom.daemon.api.standing import Health, Standing
from postroom.daemon.protocol import PROTOCOL_VERSION

router = APIRouter(tags=["daemon"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """Who answers here."""

    protocol: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The daemon ends: what comes from now on is refused."""

    closing: bool


@router.get("/hello")
async def hello() -> Hello:
    """Which protocol and version is spoken here. Open to everybody, and says no more."""
    return Hello(protocol=PROTOCOL_VERSION, version=__version__)


@router.get("/health", responses={HTTPStatus.SERVICE_UNAVAILABLE: {"model": Health}})
async def health(request: Request, response: Response) -> Health:
    """Whether work goes on. 503 while the store cannot be written, and while the daemon ends."""
    found = standings.health(house_of(request))
    if not found.ok:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return found


@router.get("/status")
async def status(house: Read) -> Standing:
    """The daemon and its store: what it works on since when, and how much goes on there."""
    return await standings.standing(house)


@router.post("/shutdown", status_code=HTTPStatus.ACCEPTED)
async def shutdown(house: Admin) -> Closing:
    """End the daemon. Turns are interrupted as after a signal, and go on at the next start as their policy
    says.
    """
    house.life.end()
    return Closing(closing=True)
