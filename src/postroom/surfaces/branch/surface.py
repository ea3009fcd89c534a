"""The tools of `branch`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.branch.agents import AGENT
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.surfaces.branch.talk import SEND_MESSAGE
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.person import ASK_USER

BRANCH = Surface(
    name="branch", policy=BRANCH_POLICY, tools=(AGENT, SEND_MESSAGE, ASK_USER, *GOAL_TOOLS)
)  # fmt: skip
