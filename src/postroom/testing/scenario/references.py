"""`${…}` in a scenario file: agents and sessions of the store, results of calls, and what steps gave.

What a lookup does not know stays as it is, so that the script's own references (`${sender}`) reach the
script.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from postroom.domain.plain import Json
from postroom.errors import ConfigFault
from postroom.testing.scenario.record import Record

Lookup: TypeAlias = Callable[[str], Json]
"""The value of a reference; raises `KeyError` for one that it does not know."""
_REFERENCE: Final = re.compile(r"\$(\$\{)|\$\{([^{}]*)\}")


def fill_text(text: str, lookup: Lookup) -> str:
    """The text with every reference that is known filled in; `$${` is left to whoever is next."""

    def one(found: re.Match[str]) -> str:
        if found[1]:
            return found[0]
        try:
            value = lookup(found[2])
        except KeyError:
            return found[0]
        return value if isinstance(value, str) else json.dumps(value)

    filled = _REFERENCE.sub(one, text)
    return filled if filled == text else fill_text(filled, lookup)  # `${session:k:${n}}` is filled twice


def fill_json(value: Json, lookup: Lookup) -> Json:
    """The same in every text of a value. A text that is one reference becomes its value as it is."""
    match value:
        case str():
            whole = _REFERENCE.fullmatch(value)
            if whole is not None and not whole[1]:
                try:
                    return lookup(whole[2])
                except KeyError:
                    return value
            filled = fill_text(value, lookup)
            return filled if filled == value else fill_json(filled, lookup)
        case list():
            return [fill_json(entry, lookup) for entry in value]
        case dict():
            return {fill_text(key, lookup): fill_json(entry, lookup) for key, entry in value.items()}
        case _:
            return value


def in_store(record: Record) -> Lookup:
    """`${agent:NAME}` and what else an agent has, each also with `:n` for the n-th; `${task:NAME:n}` for the
    id of the n-th task given to agents of that name; `${times:n:TEXT}`.
    """

    def lookup(reference: str) -> Json:
        kind, *rest = reference.split(":")
        if kind == "times" and len(rest) > 1:
            return ":".join(rest[1:]) * _number(rest[0], reference)
        if kind in _JOBS and rest and not rest[0].isdecimal():
            return _JOBS[kind](record, rest[0], _number(rest[1], reference) if len(rest) > 1 else 1)
        if kind not in _FACTS or not rest:
            raise KeyError(reference)
        return _FACTS[kind](record, ":".join(rest))

    return lookup


_FACTS: Final[Mapping[str, Callable[[Record, str], str]]] = {
    "agent": Record.address,
    "session": lambda record, name: record.agent(name).session_id,
    "branch": lambda record, name: record.agent(name).branch_id,
    "name": lambda record, name: record.agent(name).name,
}
"""What an agent can be called by."""
_JOBS: Final[Mapping[str, Callable[[Record, str, int], str]]] = {
    "task": Record.task_id,
    "job": Record.job_id,
}
IN_STORE: Final = frozenset((*_FACTS, *_JOBS, "times"))
"""What scripts know too."""


def in_steps(record: Record, kept: Mapping[str, Json]) -> Lookup:
    """The same, `${receipt:NAME:n}` for the message id of an agent's n-th receipt, and `${KEPT.key}`."""
    agents = in_store(record)

    def lookup(reference: str) -> Json:
        kind, *rest = reference.split(":")
        if kind in IN_STORE:
            return agents(reference)
        if kind == "ask" and rest:
            return record.ask_of(":".join(rest)).ask_id
        if kind == "handle" and rest:
            return record.agent(":".join(rest)).handle
        if kind == "receipt" and rest:
            number = _number(rest[1], reference) if len(rest) > 1 else 1
            return record.receipt(rest[0], max(1, number)).message_id
        return _kept(reference, kept)

    return lookup


def _number(text: str, reference: str) -> int:
    if not text.isdecimal():
        raise ConfigFault(f"${{{reference}}}: `{text}` is no number", remedy="write digits")
    return int(text)


def _kept(reference: str, kept: Mapping[str, Json]) -> Json:
    name, *keys = reference.split(".")
    if name not in kept:
        known = ", ".join(kept) or "nothing"
        raise ConfigFault(f"${{{reference}}} means nothing here", remedy=f"kept so far: {known}")
    value = kept[name]
    for key in keys:
        table: Mapping[str, Json] = value if isinstance(value, dict) else {}
        if key not in table:
            raise ConfigFault(
                f"${{{reference}}}: `{name}` has no `{key}`", remedy=f"it has {', '.join(table)}"
            )
        value = table[key]
    return value
