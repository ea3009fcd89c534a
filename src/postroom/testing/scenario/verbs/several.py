"""Steps with steps inside: repeat, together."""

import asyncio
import random

from postroom.domain.plain import Json
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need


async def repeat(play: Play, step: Step) -> Json:
    """The same steps several times, each time with other random numbers."""
    part = need(step.repeat)
    place = (*play.place, "repeat", "steps")
    play.chance = random.Random(part.seed)  # noqa: S311 -- schedules must be repeatable
    for number in range(1, part.times + 1):
        await play.take(part.steps, place, {"n": number})
    return {"times": part.times}


async def together(play: Play, step: Step) -> Json:
    """All at the same time; each begins after a random number of turns of the event loop."""
    part = need(step.together)
    turns = [play.chance.randint(0, part.jitter) for _ in part.steps]

    async def one(inner: Step, wait_turns: int) -> None:
        for _ in range(wait_turns):
            await asyncio.sleep(0)
        await play.take_one(inner)

    ended = await asyncio.gather(*map(one, part.steps, turns), return_exceptions=True)
    for fault in ended:
        if fault is not None:
            raise fault
    return None
