"""Teams and their profiles, as people look at them."""

from dataclasses import dataclass

from postroom.errors import Fault
from postroom.observe.asks import RuleView
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileView:
    """Who an agent is before it has a session."""

    name: str
    description: str
    model: str
    tools: list[str]
    """Tools, and groups of them."""
    delegates_to: list[str]
    """Profiles that it may give work to; an empty list on a surface where it may to all."""
    actions: list[RuleView]
    """What it may do, in order of declaration."""
    entry: bool
    """Whether the person's text goes to it where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamView:
    """A team that the daemon can begin sessions with."""

    team: str
    """Its folder, by which it is named."""
    name: str
    surface: str
    own: bool
    """Whether it is the one that the daemon was started with."""
    broken: str
    """Why it cannot be read now; empty for one that can."""
    profiles: list[ProfileView]


def team_view(team: Team, *, is_own: bool) -> TeamView:
    """A team that was read."""
    return TeamView(
        team=str(team.path), name=team.name, surface=team.surface, own=is_own, broken="",
        profiles=[_profile(profile, team.entry) for profile in team.profiles.values()],
    )  # fmt: skip


def broken_team(folder: str, fault: Fault, *, is_own: bool) -> TeamView:
    """One that could not be read."""
    return TeamView(team=folder, name="", surface="", own=is_own, broken=str(fault), profiles=[])


def _profile(profile: Profile, entry: str) -> ProfileView:
    return ProfileView(
        name=profile.name, description=profile.description, model=profile.model, tools=list(profile.tools),
        delegates_to=list(profile.delegates_to), actions=_rules(profile), entry=profile.name == entry,
    )  # fmt: skip


def _rules(profile: Profile) -> list[RuleView]:
    rules = profile.permissions
    return [RuleView(action=one.action, pattern=one.pattern, effect=str(one.effect)) for one in rules]
