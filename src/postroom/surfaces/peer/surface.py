"""The tools of `peer`, beside those that every surface has."""

from postroom.surfaces.base import Surface
from postroom.surfaces.goals import GOAL_TOOLS
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.surfaces.person import ASK_USER

PEER = Surface(name="peer", policy=PEER_POLICY, tools=(ASK_USER, *GOAL_TOOLS))
