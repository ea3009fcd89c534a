"""The tools of `roster`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.person import ASK_USER
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.surfaces.roster.spawn import spawn_tool
from postroom.surfaces.roster.talk import MESSAGING

ROSTER = Surface(
    name="roster",
    policy=ROSTER_POLICY,
    tools=(ASK_USER, *GOAL_TOOLS),
    groups={"messaging": MESSAGING},
    per_profile=spawn_tool,
)
