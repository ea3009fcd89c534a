"""Whom a name of a scenario file means, and which of its names whoever the store shows has."""

from collections.abc import Sequence

from postroom.errors import NotFound
from postroom.observe.agents import AgentView
from postroom.rules.naming import of_branch

TOKEN_CHARS = 8
"""The tail of a handle."""


def find(views: Sequence[AgentView], name: str) -> AgentView:
    """`NAME` is the first agent of that profile, or else that was given that name; `NAME:n` the n-th.

    Raises `NotFound`.
    """
    stem, _, number = name.partition(":")
    named = called(views, stem)
    nth = int(number) if number.isdecimal() else 1
    if not 1 <= nth <= len(named):
        raise NotFound(f"there is no agent {name!r} yet; {len(named)} of that name")
    return named[nth - 1]


def called(views: Sequence[AgentView], name: str) -> list[AgentView]:
    """All agents of a profile, or, where there is none, all that were given a name."""
    return [v for v in views if v.profile == name] or [v for v in views if v.name == name]


def names_of(views: Sequence[AgentView], shown: str) -> frozenset[str]:
    """What a file may call whoever is shown so: by address, handle, id or name."""
    found = [v for v in views if shown and shown in (v.handle, v.address, printed(v), v.branch_id, v.name)]
    found += [v for v in views if shown == v.session_id and ":" not in v.address]
    names = {shown, profile_of(shown)}
    for view in found:
        same = [v.branch_id for v in views if v.profile == view.profile]
        names |= {view.profile, view.name, f"{view.profile}:{same.index(view.branch_id) + 1}"}
    return frozenset(names - {""})


def profile_of(label: str) -> str:
    """The profile of an agent by its handle, or itself."""
    stem, _, token = label.rpartition("_")
    return stem if stem and len(token) == TOKEN_CHARS else label


def printed(view: AgentView) -> str:
    """Its address as the agents of `branch` read it."""
    return of_branch(view.session_id, view.branch_id)
