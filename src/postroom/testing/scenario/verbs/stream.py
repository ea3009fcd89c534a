"""Clients of the event stream: connect, drop."""

from postroom.domain.plain import Json
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need


async def connect(play: Play, step: Step) -> Json:
    """Connect behind what the client has seen, or behind a position."""
    part = need(step.connect)
    await play.stage()
    pos = await play.clients.connect(part.client, part.from_, part.reads)
    asks: dict[str, Json] = {}
    for ask in await play.clients.asks():
        asks.setdefault(str(ask["profile"]), ask["ask_id"])
    return {"pos": pos, "asks": asks}


async def drop(play: Play, step: Step) -> Json:
    """Hang up, after what was to be read."""
    return {"seen": await play.clients.drop(need(step.drop).client)}
