"""What can be asked through the door of a daemon, beside what every process that runs a store can be."""

from collections.abc import Mapping
from typing import Final

from postroom.app import Postroom
from postroom.daemon.api.house import House
from postroom.daemon.api.login import base_of, make_link
from postroom.daemon.api.standing import standing
from postroom.daemon.commands import Command
from postroom.daemon.fields import Values, words
from postroom.domain.plain import Json
from postroom.domain.token import Scope
from postroom.observe.looks import as_json

LINK: Final = (
    words("scope", "what the page may do", required=False, choices=tuple(Scope), default=Scope.ADMIN.value),
)


def house_commands(house: House) -> Mapping[str, Command]:
    """By name. Whoever can open the door's socket is the person, and may do all of it."""

    async def status(room: Postroom, values: Values) -> Json:
        del room, values
        return (await standing(house)).as_json()

    async def login_link(room: Postroom, values: Values) -> Json:
        del room
        return as_json(make_link(house, base_of(house), Scope(str(values["scope"]))))

    async def shutdown(room: Postroom, values: Values) -> Json:
        del room, values
        house.life.end()
        return {"closing": True}

    return {
        "status": Command(fields=(), run=status),
        "login_link": Command(fields=LINK, run=login_link),
        "shutdown": Command(fields=(), run=shutdown),
    }
