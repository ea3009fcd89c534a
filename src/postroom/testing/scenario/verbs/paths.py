"""What the person does to conversations: fork, revert, compact."""

from postroom.domain.plain import Json
from postroom.observe.paths import places
from postroom.testing.scenario.outcome import StepFailed
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need
from postroom.testing.scenario.verbs.talk import address

_BEFORE_ALL = "0"
"""The place before the first item."""


async def fork(play: Play, step: Step) -> Json:
    """Begin a session where an agent stood."""
    part = need(step.fork)
    given: dict[str, Json] = {"session": address(play, part.agent)}
    to = part.to
    if part.at_turn is not None:
        turns = _turns(play, part.agent)
        if part.at_turn > len(turns):
            raise StepFailed(f"turn {part.at_turn} of {part.agent}", f"it has {len(turns)} that ended")
        to = turns[part.at_turn - 1]
    return await (await play.stage()).do("fork", given if to is None else {**given, "to": to})


async def revert(play: Play, step: Step) -> Json:
    """Take an agent back."""
    part = need(step.revert)
    given: dict[str, Json] = {
        "session": address(play, part.agent), "to": part.to or _back(play, part.agent, part.turns),
        "keep_tasks": part.keep_tasks, "dry_run": part.dry_run,
    }  # fmt: skip
    return await (await play.stage()).do("revert", given)


async def compact(play: Play, step: Step) -> Json:
    """Have the beginning of a conversation summed up."""
    return await (await play.stage()).do("compact", {"session": address(play, need(step.compact))})


def _back(play: Play, agent: str, count: int) -> str:
    turns = _turns(play, agent)
    return turns[-count - 1] if count < len(turns) else _BEFORE_ALL


def _turns(play: Play, agent: str) -> list[str]:
    """The turns of an agent's conversation as it stands, oldest first, by their ids."""
    found = play.record.look(places, play.record.agent(agent).address, 1000) or []
    return list(dict.fromkeys(place.turn_id for place in found if place.turn_id and not place.sealed_id))
