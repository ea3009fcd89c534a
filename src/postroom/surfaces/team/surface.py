"""The tools of `team`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.person import ASK_USER
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.surfaces.team.talk import TALK_TOOLS

TEAM = Surface(name="team", policy=TEAM_POLICY, tools=(*TALK_TOOLS, ASK_USER, *GOAL_TOOLS))
