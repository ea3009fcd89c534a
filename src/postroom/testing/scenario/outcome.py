"""How a scenario ended, as values that a person or a program can be shown."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Status(StrEnum):
    """How one run of a file ended."""

    PASSED = "passed"  # every expectation and every invariant held
    FAILED = "failed"  # something did not
    NOT_AVAILABLE = "not_available"  # it needs what this version does not have


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One file on one policy."""

    file: Path
    policy: str
    case: str
    title: str
    status: Status
    line: int = 0
    """Where in the file it failed."""
    step: str = ""
    """Which step or expectation failed."""
    expected: str = ""
    seen: str = ""
    missing: tuple[str, ...] = ()
    """What this version does not have."""


class StepFailed(Exception):
    """A step could not be taken, or an expectation did not hold. Ends the scenario."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}, seen {seen}")
        self.expected = expected
        self.seen = seen
