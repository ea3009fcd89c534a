"""The tools of `team`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.person import ASK_USER
from postroom.surfaces.team.lists import ARCHIVE_AGENT, LIST_AGENTS, READ_CONVERSATION, TASK_TOOLS
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.surfaces.team.talk import TALK_TOOLS
from postroom.surfaces.team.work import AGENT, WAIT
from postroom.surfaces.todos import TODO_TOOLS

TEAM = Surface(
    name="team",
    policy=TEAM_POLICY,
    tools=(
        AGENT, *TALK_TOOLS, LIST_AGENTS, WAIT, READ_CONVERSATION, *TASK_TOOLS, ARCHIVE_AGENT, *TODO_TOOLS,
        ASK_USER, *GOAL_TOOLS,
    ),
)  # fmt: skip
