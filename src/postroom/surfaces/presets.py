"""The policy of each surface that there is, by name, without loading its tools."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.policy import Policy
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.surfaces.team.preset import TEAM_POLICY

PRESETS: Final[Mapping[str, Policy]] = {
    "team": TEAM_POLICY,
    "tree": Policy(surface="tree"),
    "branch": BRANCH_POLICY,
    "peer": PEER_POLICY,
    "roster": ROSTER_POLICY,
}
"""What `surface = "..."` of a team folder chooses; the first one is the default."""
DEFAULT_POLICY: Final = TEAM_POLICY
"""That of a folder that names no surface."""
