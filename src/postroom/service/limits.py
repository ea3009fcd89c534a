"""An agent never has more rights than the one that made it (product.md section 5; OP-18, O-21).

What its makers may do is kept with it when it is made: a layer for each, the newest first. A layer is an
agent's own rules, and what it does not allow it denies: an allow list keeps its allows, and nothing else. Of
a maker whose profile has become stricter since, the profile of today counts as well.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from postroom.domain.keys import MessageKey, SessionKey
from postroom.rules.permissions import ACTIONS, Effect, Rule, read_overlay, write_overlay
from postroom.service.facts import AgentFacts, Directory
from postroom.store.rows import SenderRow, TurnRow
from postroom.store.tx import Tx

NO_LIMITS: Final = "[]"
"""Of an agent that the person made, or under a policy where each has the rights of its own profile."""


_OPEN: Final = tuple(Rule(action=action, effect=Effect.ALLOW) for action in ACTIONS)
"""In front of rules that only limit: what they do not speak of, they leave alone."""


class Layer(NamedTuple):
    """What one maker may: its rules of then, and whose they were, to find those of today."""

    team: str
    profile: str
    rules: tuple[Rule, ...]


def limits_for_child(tx: Tx, sender: SenderRow, facts: AgentFacts, session: SessionKey) -> str:
    """What a new agent may do at most, as it is stored: what its maker may, by the facts of its turn.

    In a tree of its maker's the person's rules hold anyway; into the `session` of another they are taken
    along as they are now.
    """
    if not tx.policy(sender.policy).limits_by_caller:
        return NO_LIMITS
    layers = [Layer(sender.team, facts.profile, facts.own), *_layers(sender.limits)]
    if tx.session_row(session).root != sender.root:
        layers += _of_person(sender.overlay, facts)
    return stored(layers)


def limits_of_other(tx: Tx, row: TurnRow, message: MessageKey, directory: Directory) -> str:
    """What a turn may do at most that runs as another profile, because the writer of a message said so.

    The limits of its own branch hold on, and beside them the rights of whoever wrote: nobody gets around its
    own rules by letting another work as a profile that may more.
    """
    if not tx.policy(row.policy).limits_by_caller:
        return row.limits
    written = tx.sender_of_message(message)
    turn = tx.turn_row(written.turn) if written.turn else None
    if turn is None:  # the person or the runtime: nobody whose rights would count
        return row.limits
    who = Who(team=turn.team, profile=turn.profile, surface=tx.policy(turn.policy).surface)
    facts = facts_of(directory, who)
    layers = [Layer(turn.team, turn.profile, facts.own if facts is not None else ())]
    if turn.root != row.root and facts is not None:
        layers += _of_person(tx.tree_rights(turn.root).overlay, facts)
    return stored([*layers, *_layers(turn.limits), *_layers(row.limits)])


def _of_person(overlay: str, facts: AgentFacts) -> list[Layer]:
    """The person's rules over a tree, as layers for whoever acts for it in another."""
    limits = [rules for rules in (read_overlay(overlay), *facts.ceilings) if rules]
    return [Layer("", "", (*_OPEN, *rules)) for rules in limits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Whose facts are asked for: a profile of a team in a session of a surface, and what limits it."""

    team: str
    profile: str
    surface: str
    limits: str = NO_LIMITS


def facts_of(directory: Directory, who: Who) -> AgentFacts | None:
    """An agent's facts, never above those that limit it; nothing when its profile is not there any more."""
    facts = directory(who.team, who.profile)
    if facts is None:
        return None
    facts = facts.on(who.surface)
    if who.limits == NO_LIMITS:
        return facts
    return replace(facts, limits=tuple(_rules(directory, who)))


def facts_of_sender(tx: Tx, directory: Directory, sender: SenderRow) -> AgentFacts | None:
    """The facts of whoever makes a call."""
    surface = tx.policy(sender.policy).surface
    who = Who(team=sender.team, profile=sender.profile, surface=surface, limits=sender.limits)
    return facts_of(directory, who)


def _rules(directory: Directory, who: Who) -> Iterator[tuple[Rule, ...]]:
    for layer in _layers(who.limits):
        yield layer.rules
        found = directory(layer.team, layer.profile) if layer.profile else None
        now = None if found is None else found.on(who.surface).own
        if now is not None and now != layer.rules:
            yield now


def stored(layers: Sequence[Layer]) -> str:
    """Layers as a branch and a turn keep them; the same one twice says no more than once."""
    once = dict.fromkeys(layers)
    return json.dumps([[one.team, one.profile, json.loads(write_overlay(one.rules))] for one in once])


@lru_cache(maxsize=256)
def _layers(limits: str) -> tuple[Layer, ...]:
    kept: list[tuple[str, str, list[list[str]]]] = json.loads(limits)
    return tuple(Layer(team, profile, read_overlay(json.dumps(rules))) for team, profile, rules in kept)
