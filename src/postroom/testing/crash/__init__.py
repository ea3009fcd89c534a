"""Kill a room at a named point, start it again, and show that nothing was lost and nothing doubled.

A `Scenario` is played by a child process on a folder; `start_child` arms a crash point in it and the
child dies there by SIGKILL. Playing it again on the same folder is what a restart is. Then `audit`
reads the store and the journal of what was promised outside it, and says what does not fit.
"""

from postroom.testing.crash.audit import audit
from postroom.testing.crash.child import Child, play, start_child
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.journal import Journal
from postroom.testing.crash.person import Person
from postroom.testing.crash.scenario import Scenario
from postroom.testing.crash.witness import Witness

__all__ = [
    "Child",
    "Finding",
    "Journal",
    "Person",
    "Scenario",
    "Trouble",
    "Witness",
    "audit",
    "play",
    "start_child",
]
