"""The tools of `peer`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.peer.look import SESSION_INSPECT, SESSION_LIST
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.surfaces.peer.spawn import SPAWN_SUBAGENT
from postroom.surfaces.peer.talk import SESSION_SEND
from postroom.surfaces.peer.wait import SESSION_WAIT
from postroom.surfaces.person import ASK_USER

PEER = Surface(
    name="peer",
    policy=PEER_POLICY,
    tools=(
        SESSION_SEND, SESSION_LIST, SESSION_WAIT, SESSION_INSPECT, SPAWN_SUBAGENT, ASK_USER, *GOAL_TOOLS,
    ),
)  # fmt: skip
