"""`postroom scenario run FILE…`: tests of a team without a model, played and told."""

import asyncio
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from postroom.daemon.wire import failure_of
from postroom.domain.plain import Json
from postroom.errors import ConfigFault
from postroom.frontends.cli.exits import DONE, TASK_FAILED, USAGE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.testing.scenario import Outcome, Read, Status, policies_of, read_file, run_file

WORDS: Final = {
    Status.PASSED: "passed",
    Status.FAILED: "FAILED",
    Status.NOT_AVAILABLE: "not available",
}


def scenario(asked: Asked, out: Output) -> int:
    """Play every file on every policy that it names; the exit code says whether all passed."""
    keep = asked.text_or_none("keep")
    reads = [read for name in asked.texts("files") if (read := _read(Path(name), out)) is not None]
    if len(reads) < len(asked.texts("files")):
        return USAGE
    outcomes: list[Outcome] = []
    try:
        for read, policy in _runs(reads, asked.texts("policy")):
            outcomes.append(_play(read, policy, keep))
            _tell(out, outcomes[-1])
    except ConfigFault as fault:
        out.fail(failure_of(fault))
        return USAGE
    _tell_all(out, outcomes)
    bad = {Status.FAILED, Status.NOT_AVAILABLE} if asked.flag("strict") else {Status.FAILED}
    return TASK_FAILED if any(outcome.status in bad for outcome in outcomes) else DONE


def _read(path: Path, out: Output) -> Read | None:
    """A file, or nothing where it is wrong, which is told: whoever mends one wants to know of all."""
    try:
        return read_file(path)
    except ConfigFault as fault:
        out.fail(failure_of(fault))
        return None


def _runs(reads: Sequence[Read], wanted: Sequence[str]) -> Sequence[tuple[Read, str]]:
    """Every file with every policy that it is to be played on. Raises `Usage` where there is nothing."""
    runs = [(read, policy) for read in reads for policy in policies_of(read, wanted)]
    if not runs:
        known = sorted({policy for read in reads for policy in policies_of(read)})
        raise Usage(
            f"no file is for the policy {' or '.join(wanted)}", remedy=f"the files name {', '.join(known)}"
        )
    return runs


def _play(read: Read, policy: str, keep: str | None) -> Outcome:
    with _folder(keep, f"{read.path.stem}-{policy}") as folder:
        try:
            return asyncio.run(run_file(read, policy, folder))
        except ConfigFault as fault:
            if fault.message.startswith(f"{read.path}:"):
                raise
            raise ConfigFault(f"{read.path}: {fault.message}", remedy=fault.remedy) from fault


@contextmanager
def _folder(keep: str | None, name: str) -> Generator[Path]:
    """Where the store and the requests of a run lie: gone afterwards, unless they are to be kept."""
    if keep is not None:
        yield _fresh(Path(keep), name)
        return
    with tempfile.TemporaryDirectory(prefix="postroom-scenario-") as made:
        yield Path(made)


def _fresh(parent: Path, name: str) -> Path:
    """A folder that no earlier run has used."""
    number, folder = 1, parent / name
    while folder.exists():
        number += 1
        folder = parent / f"{name}-{number}"
    return folder


def _tell(out: Output, outcome: Outcome) -> None:
    if out.as_json:
        out.json_line(_as_json(outcome))
        return
    out.line(f"{WORDS[outcome.status]:13}  {outcome.file} ({outcome.policy})")
    if outcome.missing:
        out.line(f"{'':15}{', '.join(outcome.missing)}")
    if outcome.status is Status.FAILED:
        place = f"line {outcome.line}, " if outcome.line else ""
        out.line(f"{'':15}{place}{outcome.step}")
        out.line(f"{'':15}expected {outcome.expected}")
        out.line(f"{'':15}seen     {outcome.seen}")


def _as_json(outcome: Outcome) -> Json:
    return {
        "file": str(outcome.file), "policy": outcome.policy, "case": outcome.case, "title": outcome.title,
        "status": outcome.status, "line": outcome.line, "step": outcome.step, "expected": outcome.expected,
        "seen": outcome.seen, "missing": list(outcome.missing),
    }  # fmt: skip


def _tell_all(out: Output, outcomes: Sequence[Outcome]) -> None:
    if out.as_json:
        return
    numbers = {status: sum(o.status is status for o in outcomes) for status in Status}
    said = [f"{number} {WORDS[status].lower()}" for status, number in numbers.items() if number]
    out.line(", ".join(said))
