"""What the person decides through the door: asks, questions, and the rights of a tree.

An ask may be named by the end of its id, a question may be answered by the number of an option, and a rule
over a tree may be set by itself; the room knows neither short forms nor single rules.
"""

import json
from collections.abc import Sequence
from typing import Final, cast

from postroom.app import Postroom
from postroom.daemon.fields import SESSION, SOME_SESSION, Values, flag, text_of, words
from postroom.daemon.wire import InvalidArguments
from postroom.domain.ask import ApprovalMode, Ask, AskKind, Scope
from postroom.domain.plain import Json
from postroom.observe import looks
from postroom.observe.asks import standing
from postroom.observe.find import find_ask
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import ACTIONS, Effect, Rule, flaw
from postroom.rules.text import is_encodable

_ASK: Final = words("ask", "its id, or 8 or more of its last characters")
ASKS: Final = (SOME_SESSION, words("kind", "only these", required=False, choices=tuple(AskKind)))
APPROVE: Final = (
    _ASK,
    words(
        "scope", "for this call, or for this kind of deed in its tree", required=False, choices=tuple(Scope),
        default=Scope.ONCE,
    ),
)  # fmt: skip
DENY: Final = (_ASK, words("reason", "what its agent reads", required=False, default=""))
ANSWER: Final = (_ASK, words("text", "the answer; of options one, or its number"))
SET_MODE: Final = (SESSION, words("mode", "who decides its asks", choices=tuple(ApprovalMode)))
SET_ATTENDED: Final = (SESSION, flag("attended", "somebody is there to answer its questions", default=None))
SET_OVERLAY: Final = (SESSION, words("rules", "a JSON list of [action, pattern, effect]"))
CHANGE_OVERLAY: Final = (
    SESSION,
    words("do", "with one rule, or with all", choices=("set", "unset", "clear")),
    words("action", "what is done", required=False, choices=ACTIONS, default=""),
    words("pattern", "to what it is done; * is any text", required=False, default=""),
    words("effect", "what the rule says", required=False, choices=tuple(Effect), default=""),
)


async def asks(room: Postroom, values: Values) -> Json:
    """What is open, oldest first."""
    return await room.store.read(looks.asks, text_of(values, "session"), text_of(values, "kind"))


async def approve(room: Postroom, values: Values) -> Json:
    """Let a call be made."""
    ask = await _named(room, values, AskKind.APPROVAL)
    await room.approve(ask.public_id, Scope(str(values["scope"])))
    return await _as_it_stands(room, ask)


async def deny(room: Postroom, values: Values) -> Json:
    """Let a call not be made."""
    ask = await _named(room, values, AskKind.APPROVAL)
    await room.deny(ask.public_id, str(values["reason"]))
    return await _as_it_stands(room, ask)


async def answer(room: Postroom, values: Values) -> Json:
    """Answer a question."""
    ask = await _named(room, values, AskKind.QUESTION)
    await room.answer(ask.public_id, _chosen(ask, str(values["text"])))
    return await _as_it_stands(room, ask)


async def rights(room: Postroom, values: Values) -> Json:
    """Who decides the asks of a tree, the person's rules over it, and what it was allowed."""
    return await room.store.read(looks.rights, str(values["session"]))


async def set_mode(room: Postroom, values: Values) -> Json:
    """Who decides from now on."""
    await room.set_mode(str(values["session"]), ApprovalMode(str(values["mode"])))
    return await rights(room, values)


async def set_attended(room: Postroom, values: Values) -> Json:
    """Somebody is there from now on, or nobody."""
    await room.set_attended(str(values["session"]), attended=bool(values["attended"]))
    return await rights(room, values)


async def last_questions(room: Postroom, values: Values) -> Json:
    """Open questions of a tree, where nothing else keeps it from ending."""
    return [looks.as_json(ask) for ask in await room.last_questions(text_of(values, "session"))]


async def set_overlay(room: Postroom, values: Values) -> Json:
    """All of the person's rules over a tree at once."""
    await room.set_overlay(str(values["session"]), _rules(str(values["rules"])))
    return await rights(room, values)


async def change_overlay(room: Postroom, values: Values) -> Json:
    """One of the rules, or none of them any more. Two who change rules at once change both."""
    await room.change_overlay(str(values["session"]), lambda rules: _changed(rules, values))
    return await rights(room, values)


def _changed(rules: Sequence[Rule], values: Values) -> Sequence[Rule]:
    """A rule of the same action and pattern makes way for the new one."""
    action, pattern, effect = (str(values[name]) for name in ("action", "pattern", "effect"))
    if values["do"] == "clear":
        return []
    if not (action and pattern) or (values["do"] == "set" and not effect):
        missing = "an action, a pattern and an effect" if values["do"] == "set" else "an action and a pattern"
        raise InvalidArguments(f"{values['do']} needs {missing}", remedy="such as: set message child deny")
    others = [rule for rule in rules if (rule.action, rule.pattern) != (action, pattern)]
    if values["do"] == "set":
        return [*others, _checked(action, pattern, effect)]
    if len(others) == len(rules):
        raise InvalidArguments(f"there is no rule {action} {pattern}", remedy="nothing was changed")
    return others


def _rules(given: str) -> list[Rule]:
    try:
        rows: list[Json] = json.loads(given)
        return [_rule(row) for row in rows]
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidArguments(
            "the rules are no list of [action, pattern, effect]", remedy="nothing was changed"
        ) from error


def _rule(row: Json) -> Rule:
    """Raises `ValueError` or `TypeError` for what is no rule."""
    action, pattern, effect = cast("list[str]", row)
    if action not in ACTIONS or not is_encodable(action + pattern):
        raise ValueError(action)
    return _checked(action, pattern, effect)


def _checked(action: str, pattern: str, effect: str) -> Rule:
    """A rule that can hold for something. Raises `InvalidArguments` for any other."""
    if why := flaw(action, pattern):
        raise InvalidArguments(why, remedy=f"one of {', '.join(RELATIONS)}" if pattern else "")
    return Rule(action=action, pattern=pattern, effect=Effect(effect))


async def _named(room: Postroom, values: Values, kind: AskKind) -> Ask:
    """The ask that is meant. Raises `NotFound`, and `InvalidArguments` for one of the other kind."""
    ask = await room.store.read(find_ask, str(values["ask"]))
    if ask.kind == kind:
        return ask
    if kind is AskKind.QUESTION:
        raise InvalidArguments("the agent asks for leave", remedy="`postroom approve ID`, or `deny ID`")
    raise InvalidArguments("the agent asks a question", remedy="`postroom answer ID TEXT`")


async def _as_it_stands(room: Postroom, ask: Ask) -> Json:
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
    if 1 <= int(wanted[:9]) <= len(options):
        return options[int(wanted[:9]) - 1]
    raise InvalidArguments(f"no option has the number {wanted[:9]}", remedy=f"from 1 to {len(options)}")
