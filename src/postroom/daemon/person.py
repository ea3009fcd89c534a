"""What the person decides through the control door: asks, questions, and the rights of a tree."""

import json
from collections.abc import Sequence
from typing import Final

from postroom.app import Postroom
from postroom.daemon import decisions
from postroom.daemon.fields import SESSION, SOME_SESSION, Values, flag, text_of, words
from postroom.daemon.wire import InvalidArguments
from postroom.domain.ask import ApprovalMode, AskKind, Scope
from postroom.domain.plain import Json
from postroom.observe import looks
from postroom.rules.permissions import ACTIONS, Effect, Rule

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
    scope = Scope(str(values["scope"]))
    return looks.as_json(await decisions.approve(room, str(values["ask"]), scope))


async def deny(room: Postroom, values: Values) -> Json:
    """Let a call not be made."""
    return looks.as_json(await decisions.deny(room, str(values["ask"]), str(values["reason"])))


async def answer(room: Postroom, values: Values) -> Json:
    """Answer a question."""
    return looks.as_json(await decisions.answer(room, str(values["ask"]), str(values["text"])))


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
    action, pattern, effect = (str(values[name]) for name in ("action", "pattern", "effect"))
    if values["do"] == "clear":
        return []
    if not (action and pattern) or (values["do"] == "set" and not effect):
        missing = "an action, a pattern and an effect" if values["do"] == "set" else "an action and a pattern"
        raise InvalidArguments(f"{values['do']} needs {missing}", remedy="such as: set message child deny")
    if values["do"] == "set":
        return decisions.with_rule(rules, decisions.rule_of(action, pattern, effect))
    return decisions.without_rule(rules, action, pattern)


def _rules(given: str) -> list[Rule]:
    try:
        rows: list[Json] = json.loads(given)
        return [_rule(row) for row in rows]
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidArguments(
            "the rules are no list of [action, pattern, effect]", remedy="nothing was changed"
        ) from error


def _rule(row: Json) -> Rule:
    """Raises `ValueError` for what is no row of three texts."""
    match row:
        case [str() as action, str() as pattern, str() as effect]:
            return decisions.rule_of(action, pattern, effect)
        case _:
            raise ValueError("no row of three texts")
