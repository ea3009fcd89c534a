"""The tools of `branch`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.branch.agents import AGENT
from postroom.surfaces.branch.lists import LIST_TOOLS
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.surfaces.branch.talk import ARCHIVE_AGENT, SEND_MESSAGE
from postroom.surfaces.branch.words import refusal_result
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.person import ASK_USER
from postroom.surfaces.tasks import task_tools
from postroom.surfaces.todos import TODO_TOOLS

BRANCH = Surface(
    name="branch",
    policy=BRANCH_POLICY,
    tools=(
        AGENT, SEND_MESSAGE, *LIST_TOOLS, ARCHIVE_AGENT, *task_tools(refusal_result, timeout="timeout"),
        *TODO_TOOLS, ASK_USER, *GOAL_TOOLS,
    ),
)  # fmt: skip
