"""Scenario files: tests of a team in YAML, without a model (`docs/how-to/scenario-files.md`).

`read_file` reads one strictly, `run_file` plays it. `steps.Step` is the whole language; a verb is a
function in `verbs`, an expectation one in `expect`; a `Stage` is where the room lives.
"""

from postroom.testing.scenario.file import missing
from postroom.testing.scenario.outcome import Outcome, Status
from postroom.testing.scenario.reading import Read, read_file
from postroom.testing.scenario.run import policies_of, run_file

__all__ = ["Outcome", "Read", "Status", "missing", "policies_of", "read_file", "run_file"]
