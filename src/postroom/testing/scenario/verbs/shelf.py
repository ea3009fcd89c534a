"""What the person does with agents that are done: archive, delete, rename."""

from postroom.domain.plain import Json
from postroom.errors import NotFound
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need
from postroom.testing.scenario.verbs.talk import address


async def archive(play: Play, step: Step) -> Json:
    """Retire an agent."""
    return await (await play.stage()).do("archive", {"session": _agent(play, need(step.archive))})


async def delete(play: Play, step: Step) -> Json:
    """Delete an agent's session."""
    return await (await play.stage()).do("delete", {"session": address(play, need(step.delete))})


async def rename(play: Play, step: Step) -> Json:
    """Name an agent."""
    part = need(step.rename)
    given: dict[str, Json] = {"agent": _agent(play, part.agent), "name": part.name}
    return await (await play.stage()).do("rename", given)


def _agent(play: Play, named: str) -> str:
    """What means this agent alone, also where several are of one session."""
    try:
        return play.record.agent(named).address
    except NotFound:
        return named
