"""What an examination found, as values and as lines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be. `code` is stable; the rest is for people."""

    code: str
    table: str
    key: str
    expected: str
    found: str
    mendable: bool
    harmless: bool = False
    """It blocks nobody and loses nothing: what a killed process leaves lying about."""

    def __str__(self) -> str:
        """One line."""
        tail = " (repair mends it)" if self.mendable else ""
        return f"{self.code} {self.table} {self.key}: expected {self.expected}, found {self.found}{tail}"


class Diagnosis(NamedTuple):
    """A finding with the transaction that mends it, where one does."""

    finding: Finding
    mend: Callable[[Tx], None] | None


def diagnosis(
    code: str, table: str, key: object, expected: str, found: str, mend: Callable[[Tx], None] | None = None
) -> Diagnosis:
    """One thing that is wrong with a row; without a mend a repair can only report it."""
    finding = Finding(
        code=code, table=table, key=str(key), expected=expected, found=found, mendable=mend is not None
    )
    return Diagnosis(finding, mend)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A recount from the log, not from the tables."""

    messages: int = 0
    """Messages that were accepted."""
    turns: int = 0
    """Turns that have started."""
    lost: int = 0
    """Accepted messages that are gone, or count as read and stand in no conversation."""
    doubled: int = 0
    """Messages that were accepted, read or put into one conversation more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A store as the doctor saw it, on one snapshot."""

    folder: Path
    findings: tuple[Finding, ...]
    counts: Counts
    mended: tuple[Finding, ...] = ()
    """What this repair mended; empty after an examination."""
    backup: Path | None = None
    """The whole store as it was before the first mend."""

    @property
    def ok(self) -> bool:
        """Nothing is wrong that matters."""
        return all(finding.harmless for finding in self.findings)

    def lines(self) -> Iterator[str]:
        """The report in plain lines: what was mended, what is wrong, and the counts."""
        if self.backup is not None:
            yield f"backup: {self.backup}"
        yield from (f"mended {finding.code} {finding.table} {finding.key}" for finding in self.mended)
        yield from map(str, self.findings)
        c = self.counts
        verdict = "ok" if self.ok else _counted(len(self.findings), "finding")
        sums = f"{_counted(c.messages, 'message')}, {_counted(c.turns, 'turn')}"
        yield f"{verdict}: {sums}, lost {c.lost}, doubled {c.doubled}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
