"""What a tree of agents may do beyond its profiles. To change it is for whoever may do everything."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from postroom.daemon import decisions
from postroom.daemon.api.given import AskMode, Given, Line, Name, Reference
from postroom.daemon.api.guard import Admin, Read
from postroom.observe.asks import RightsView
from postroom.rules.permissions import Effect

RULES_MAX = 1_000
router = APIRouter(prefix="/agents/{agent}", tags=["rights"])


class ModeGiven(Given):
    """Who decides the asks of the tree from now on."""

    mode: AskMode


class AttendedGiven(Given):
    """Whether somebody is there to answer its questions."""

    attended: bool


class RuleGiven(Given):
    """One rule: what is done, to what it is done (`*` is any text), and `allow`, `ask` or `deny`."""

    action: Name
    pattern: Line
    effect: Annotated[Effect, Field(strict=False)]


class OverlayGiven(Given):
    """All of the person's rules over the tree, in order; of two equally exact ones the later holds."""

    rules: Annotated[list[RuleGiven], Field(max_length=RULES_MAX)]


class RuleNamed(Given):
    """A rule by what is done and to what."""

    action: Name
    pattern: Line


@router.get("/rights")
async def rights(house: Read, agent: Reference) -> RightsView:
    """Who decides the asks of a tree, the person's rules over it, and what it was allowed."""
    return await house.room.rights(agent)


@router.post("/mode")
async def set_mode(house: Admin, agent: Reference, given: ModeGiven) -> RightsView:
    """Say who decides from now on; calls that wait for the person go on waiting, held mail is tried again."""
    await house.room.set_mode(agent, given.mode)
    return await house.room.rights(agent)


@router.post("/attended")
async def set_attended(house: Admin, agent: Reference, given: AttendedGiven) -> RightsView:
    """Say whether somebody is there. Where nobody is, open questions end and their agents go on."""
    await house.room.set_attended(agent, attended=given.attended)
    return await house.room.rights(agent)


@router.post("/overlay")
async def set_overlay(house: Admin, agent: Reference, given: OverlayGiven) -> RightsView:
    """Lay rules over a tree, in place of those before; an empty list takes them all away."""
    rules = [decisions.rule_of(one.action, one.pattern, one.effect) for one in given.rules]
    await house.room.set_overlay(agent, rules)
    return await house.room.rights(agent)


@router.post("/overlay/set")
async def set_rule(house: Admin, agent: Reference, given: RuleGiven) -> RightsView:
    """Lay one rule over a tree; one of the same action and pattern makes way for it."""
    rule = decisions.rule_of(given.action, given.pattern, given.effect)
    await house.room.change_overlay(agent, lambda rules: decisions.with_rule(rules, rule))
    return await house.room.rights(agent)


@router.post("/overlay/unset")
async def unset_rule(house: Admin, agent: Reference, given: RuleNamed) -> RightsView:
    """Take one rule away."""
    await house.room.change_overlay(
        agent, lambda rules: decisions.without_rule(rules, given.action, given.pattern)
    )
    return await house.room.rights(agent)
