"""The scenes of the checks that a killed process stands behind."""

from dataclasses import replace

from postroom.domain.policy import Policy
from postroom.testing.crash import Journal, Scenario
from tests.fault.case_scenes import mailed


def lined_up(journal: Journal) -> Scenario:
    """The lead holds the only slot, so what it sends lies in the reader's mailbox while it goes on."""
    wide = mailed(journal)
    return replace(wide, team=replace(wide.team, policy=Policy(surface="tree", concurrency=1)))
