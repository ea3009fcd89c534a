"""The policy of each surface that there is, by name, without loading its tools."""

from collections.abc import Mapping
from typing import Final

from postroom.domain.policy import Policy
from postroom.surfaces.branch.preset import BRANCH_POLICY

PRESETS: Final[Mapping[str, Policy]] = {
    "tree": Policy(surface="tree"),
    "branch": BRANCH_POLICY,
}
"""What `surface = "..."` of a team folder chooses; the first one is the default."""
