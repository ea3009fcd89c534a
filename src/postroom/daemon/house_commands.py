"""What can be asked through the door of a daemon, beside what every process that runs a store can be."""

from collections.abc import Mapping

from postroom.app import Postroom
from postroom.daemon.api.house import House
from postroom.daemon.api.standing import standing
from postroom.daemon.commands import Command
from postroom.daemon.fields import Values
from postroom.domain.plain import Json


def house_commands(house: House) -> Mapping[str, Command]:
    """By name. Whoever can open the door's socket is the person, and may do all of it."""

    async def status(room: Postroom, values: Values) -> Json:
        del room, values
        return (await standing(house)).as_json()

    async def shutdown(room: Postroom, values: Values) -> Json:
        del room, values
        house.life.end()
        return {"closing": True}

    return {
        "status": Command(fields=(), run=status),
        "shutdown": Command(fields=(), run=shutdown),
    }
