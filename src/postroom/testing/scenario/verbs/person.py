"""What the person decides: approve, deny, answer, rights of a tree, goals."""

import json

from postroom.domain.plain import Json
from postroom.errors import NotFound
from postroom.testing.scenario.outcome import StepFailed
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.steps import Step
from postroom.testing.scenario.verbs.need import need
from postroom.testing.scenario.verbs.talk import address


async def approve(play: Play, step: Step) -> Json:
    """Give leave."""
    part = need(step.approve)
    given: dict[str, Json] = {"ask": _ask_id(play, part.ask), "scope": part.for_}
    return await (await play.stage()).do("approve", given)


async def deny(play: Play, step: Step) -> Json:
    """Refuse leave."""
    part = need(step.deny)
    return await (await play.stage()).do("deny", {"ask": _ask_id(play, part.ask), "reason": part.reason})


async def answer(play: Play, step: Step) -> Json:
    """Answer a question."""
    part = need(step.answer)
    given: dict[str, Json] = {"ask": _ask_id(play, part.to), "text": part.text}
    return await (await play.stage()).do("answer_question", given)


async def mode(play: Play, step: Step) -> Json:
    """Say who decides."""
    part = need(step.mode)
    return await (await play.stage()).do("set_mode", {"session": address(play, part.of), "mode": part.mode})


async def overlay(play: Play, step: Step) -> Json:
    """Lay rules over a tree."""
    part = need(step.overlay)
    rules = [[a, p, effect] for a, patterns in part.rules.items() for p, effect in patterns.items()]
    given: dict[str, Json] = {"session": address(play, part.of), "rules": json.dumps(rules)}
    return await (await play.stage()).do("set_overlay", given)


async def goal(play: Play, step: Step) -> Json:
    """Set a goal before an agent."""
    part = need(step.goal)
    given: dict[str, Json] = {"session": address(play, part.of), "text": part.text}
    return await (await play.stage()).do("goal_set", given)


async def move_goal(play: Play, step: Step) -> Json:
    """Pause it, go on with it, give it up."""
    part = need(step.move_goal)
    return await (await play.stage()).do(f"goal_{part.move}", {"session": address(play, part.of)})


def _ask_id(play: Play, named: str) -> str:
    """A name of the file is its oldest open ask; anything else is an id."""
    if named.partition(":")[0] not in play.agents:
        return named
    try:
        return play.record.ask_of(named).ask_id
    except NotFound as fault:
        raise StepFailed(f"an open ask of {named}", fault.message) from None
