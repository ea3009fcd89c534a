"""Scripts: what a `scripted:` model says, round by round, without a key and without a network.

A script holds no position. The round to play follows from the request alone, so a process that was
killed and started again goes on at the right place.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from postroom.errors import ScriptEnded
from postroom.llm.port import AssistantItem, Json, ModelAnswer, ModelRequest, UserItem

# `$${` writes a literal `${`.
_REFERENCE = re.compile(r"\$(\$\{)|\$\{([^{}]*)\}")
OTHERWISE = "Waiting for more."
_SENDER = re.compile(
    r'<agent_message from="([^"]*)"|<mail n="\d+" from="([^"]*)"'
    r'|<session_message from="[^"]*" session="([^"]*)"'
    r"|^\[(?:message|task) from (\S+)\]$|^\[message from ([^\s\],:]+)(?:, [^\]]*)?\] ",
    re.MULTILINE,
)
"""Who wrote, in the envelope of every surface."""
_TASK = re.compile(r"(?<![0-9A-Za-z_])t_[0-9a-f]{14}(?![0-9A-Za-z_])")
_SESSION = re.compile(r'"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"')
"""A session, as lists of sessions show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """One call of a scripted answer. Arguments given as text are sent as they stand, valid or not.

    Without a `provider_call_id` the calls of each answer are `call_0`, `call_1` … again, as some
    providers do it (O-04).
    """

    tool: str
    arguments: Mapping[str, Json] | str
    provider_call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """One round: text, calls or both, after `think_s` seconds of seeming to think.

    `when` holds the round back until each of its texts was seen in what the model was given; until
    then the model says `otherwise`, which ends its turn, or makes `otherwise_calls`, which keeps it
    at work. A team whose mail may arrive in one batch or in two needs that.
    """

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    think_s: float = 0.0
    when: tuple[str, ...] = ()
    otherwise: str = OTHERWISE
    otherwise_calls: tuple[ScriptedCall, ...] = ()
    tokens: int | None = None
    """What the round says that it took, of the request and the answer together; none: an estimate."""
    cost_micros: int | None = 0
    """What it says that it cost in millionths of a dollar; none: nobody knows."""


# A round in code: it sees the request and gives a finished answer or one that is still to resolve.
Play: TypeAlias = Callable[[ModelRequest], Awaitable[ModelAnswer | ScriptedAnswer]]
Round: TypeAlias = ScriptedAnswer | Play


@dataclass(frozen=True, slots=True)
class Script:
    """The rounds of one agent, in order."""

    rounds: Sequence[Round]

    def round_for(self, request: ModelRequest) -> Round:
        """The round that answers this request. Raises `ScriptEnded` when there is none left."""
        number, held = self.position(request)
        if number >= len(self.rounds):
            raise ScriptEnded(
                f"the script of {request.agent!r} has {len(self.rounds)} rounds, "
                f"round {number + 1} was asked for",
                remedy="add a round to the script",
            )
        current = self.rounds[number]
        if held and isinstance(current, ScriptedAnswer):
            return replace(current, text=current.otherwise, calls=current.otherwise_calls)
        return current

    def position(self, request: ModelRequest) -> tuple[int, bool]:
        """The number of the round to play, from 0, and whether its `when` still holds it back."""
        wanted = frozenset(text for number in range(len(self.rounds)) for text in self._when(number))
        seen: set[str] = set()
        number = request.covered
        for item in request.items:
            if not isinstance(item, AssistantItem):
                seen.update(text for text in wanted - seen if text in item.text)
            elif seen.issuperset(self._when(number)):
                number += 1
        return number, not seen.issuperset(self._when(number))

    def _when(self, number: int) -> tuple[str, ...]:
        current = self.rounds[number] if number < len(self.rounds) else None
        return current.when if isinstance(current, ScriptedAnswer) else ()


def resolve_text(text: str, request: ModelRequest) -> str:
    """The text with its references filled in from the request.

    `${handle:PROFILE}` is the last handle of that profile seen in any item, `${handle:PROFILE:n}`
    the n-th distinct one, `${task}` and `${task:n}` are the same for ids of tasks, `${session}` and
    `${session:n}` for those of sessions in what tools have returned, `${sender}` is the sender of the last
    mail, `${last}` the text of the last item. Raises `ScriptEnded` on a reference that is unknown or has
    nothing to point at.
    """
    return _REFERENCE.sub(lambda found: found[1] or _lookup(found[2], request), text)


def resolve_json(value: Json, request: ModelRequest) -> Json:
    """The same in every text of a JSON value; keys stay as they are."""
    match value:
        case str():
            return resolve_text(value, request)
        case list():
            return [resolve_json(entry, request) for entry in value]
        case dict():
            return {key: resolve_json(entry, request) for key, entry in value.items()}
        case _:
            return value


def _lookup(reference: str, request: ModelRequest) -> str:
    name, *rest = reference.split(":")
    found: str | None = None
    match name, rest:
        case "handle", [profile, *which] if _is_number(which):
            found = _which(list(_handles(profile, request)), which)
        case "task", which if _is_number(which):
            found = _which(_found(_TASK, request), which)
        case "session", which if _is_number(which):
            found = _which(_found(_SESSION, request), which)
        case "sender", []:
            found = _last_sender(request)
        case "last", []:
            found = request.items[-1].text if request.items else None
        case _:
            raise ScriptEnded(f"a script refers to ${{{reference}}}, which means nothing")
    if found is None:
        raise ScriptEnded(f"nothing {request.agent!r} was given holds what ${{{reference}}} means")
    return found


def _is_number(which: Sequence[str]) -> bool:
    """Whether this is nothing, or the number of one among several."""
    return not which or (len(which) == 1 and which[0].isascii() and which[0].isdigit())


def _which(found: Sequence[str], which: Sequence[str]) -> str | None:
    """The last one, or the n-th distinct one."""
    distinct = list(dict.fromkeys(found))
    if not which:
        return found[-1] if found else None
    number = int(which[0])
    return distinct[number - 1] if 1 <= number <= len(distinct) else None


def _handles(profile: str, request: ModelRequest) -> Iterator[str]:
    """Every handle of the profile, in the order in which the items show them."""
    pattern = re.compile(rf"(?<![0-9A-Za-z_-]){re.escape(profile)}_[0-9a-f]{{8}}(?![0-9A-Za-z_])")
    for item in request.items:
        yield from pattern.findall(item.text)
        if isinstance(item, AssistantItem):
            for call in item.calls:
                yield from pattern.findall(call.arguments)


def _found(ids: re.Pattern[str], request: ModelRequest) -> list[str]:
    """Every id of a kind, in the order in which what was read shows them."""
    return [
        found
        for item in request.items
        if not isinstance(item, AssistantItem)
        for found in ids.findall(item.text)
    ]


def _last_sender(request: ModelRequest) -> str | None:
    for item in reversed(request.items):
        found: list[tuple[str, ...]] = _SENDER.findall(item.text) if isinstance(item, UserItem) else []
        if found:
            return "".join(found[-1])
    return None
