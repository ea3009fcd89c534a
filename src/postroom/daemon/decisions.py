"""What the person decides, through whichever door: asks, and single rules over a tree.

An ask may be named by the end of its id, a question may be answered by the number of an option, and a rule
may be set by itself; the room knows neither short forms nor single rules.
"""

import json
from collections.abc import Sequence

from postroom.app import Postroom
from postroom.daemon.wire import InvalidArguments
from postroom.domain.ask import Ask, AskKind, Scope
from postroom.observe.asks import StandingAsk, standing
from postroom.observe.find import find_ask
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import ACTIONS, Effect, Rule, flaw
from postroom.rules.text import is_encodable

_NUMBER_CHARS_MAX = 9


async def approve(room: Postroom, reference: str, scope: Scope) -> StandingAsk:
    """Let a call be made. Raises `NotFound`, `InvalidArguments` for a question, and `Refused`."""
    ask = await _named(room, reference, AskKind.APPROVAL)
    await room.approve(ask.public_id, scope)
    return await _as_it_stands(room, ask)


async def deny(room: Postroom, reference: str, reason: str) -> StandingAsk:
    """Let a call not be made. Raises as `approve` does."""
    ask = await _named(room, reference, AskKind.APPROVAL)
    await room.deny(ask.public_id, reason)
    return await _as_it_stands(room, ask)


async def answer(room: Postroom, reference: str, text: str) -> StandingAsk:
    """Answer a question; of its options by the words or by the number of one. Raises as `approve` does."""
    ask = await _named(room, reference, AskKind.QUESTION)
    await room.answer(ask.public_id, _chosen(ask, text))
    return await _as_it_stands(room, ask)


def rule_of(action: str, pattern: str, effect: str) -> Rule:
    """A rule that can hold for something. Raises `InvalidArguments` for any other."""
    known = action in ACTIONS and is_encodable(pattern) and effect in tuple(Effect)
    if not known:
        remedy = f"an action of {', '.join(ACTIONS)}, a pattern, and an effect of {', '.join(Effect)}"
        raise InvalidArguments("that is no rule", remedy=remedy)
    if why := flaw(action, pattern):
        raise InvalidArguments(why, remedy=f"one of {', '.join(RELATIONS)}" if pattern else "")
    return Rule(action=action, pattern=pattern, effect=Effect(effect))


def with_rule(rules: Sequence[Rule], rule: Rule) -> list[Rule]:
    """The rules and a new one behind them; one of the same action and pattern makes way for it."""
    return [*_others(rules, rule.action, rule.pattern), rule]


def without_rule(rules: Sequence[Rule], action: str, pattern: str) -> list[Rule]:
    """The rules without one. Raises `InvalidArguments` where there is none of this action and pattern."""
    others = _others(rules, action, pattern)
    if len(others) == len(rules):
        raise InvalidArguments(f"there is no rule {action} {pattern}", remedy="nothing was changed")
    return others


def _others(rules: Sequence[Rule], action: str, pattern: str) -> list[Rule]:
    return [rule for rule in rules if (rule.action, rule.pattern) != (action, pattern)]


async def _named(room: Postroom, reference: str, kind: AskKind) -> Ask:
    """The ask that is meant. Raises `NotFound`, and `InvalidArguments` for one of the other kind."""
    room.check_open()
    ask = await room.store.read(find_ask, reference)
    if ask.kind == kind:
        return ask
    if kind is AskKind.QUESTION:
        raise InvalidArguments("the agent asks for leave", remedy="`postroom approve ID`, or `deny ID`")
    raise InvalidArguments("the agent asks a question", remedy="`postroom answer ID TEXT`")


async def _as_it_stands(room: Postroom, ask: Ask) -> StandingAsk:
    return await room.store.read(standing, ask.key)


def _chosen(ask: Ask, given: str) -> str:
    """A number stands for the option that has it; any other text is the person's own answer.

    Raises `InvalidArguments` for a number that no option has: it is a slip more often than an answer.
    """
    options: list[str] = json.loads(ask.options)
    wanted = given.strip()
    if wanted in options:
        return wanted
    if not options or not (wanted.isascii() and wanted.isdecimal()):
        return given
    number = wanted[:_NUMBER_CHARS_MAX]
    if 1 <= int(number) <= len(options):
        return options[int(number) - 1]
    raise InvalidArguments(f"no option has the number {number}", remedy=f"from 1 to {len(options)}")
