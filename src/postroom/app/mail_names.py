"""The names of a surface's tools in a team: on some surfaces agents are tools, under their own names."""

from postroom.errors import ConfigFault
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.surfaces.base import Surface
from postroom.tools.registry import OURS


def names_of_mail_tools(surface: Surface, team: Team) -> dict[str, str]:
    """Every name that the surface takes, and for whom. Raises `ConfigFault` for one that has two meanings."""
    taken = {tool.spec.name: OURS for tool in surface.fixed_tools}
    if surface.per_profile is None:
        return taken
    for profile in _made_by_others(team):
        name = surface.per_profile(profile.name, profile.description).spec.name
        if name in taken or name in surface.groups:
            raise _collision(profile, name, taken.get(name, OURS))
        taken[name] = f"the agent `{profile.name}`"
    return taken


def _made_by_others(team: Team) -> list[Profile]:
    """The profiles for which there is a tool, in the order of the team."""
    named = {name for profile in team.profiles.values() for name in profile.delegates_to}
    return [profile for name, profile in team.profiles.items() if name in named]


def _collision(profile: Profile, tool: str, other: str) -> ConfigFault:
    return ConfigFault(
        f"{profile.source}: name: the tool `{tool}`, which makes `{profile.name}`, has the name of another: "
        f"that of {other}",
        remedy="call the agent something else",
    )
