"""Every scenario file of the project on every policy that it names."""

from pathlib import Path

import pytest

from postroom.testing.scenario import Read, Status, missing, policies_of, read_file, run_file

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
READS = [read_file(path) for path in sorted(FOLDER.glob("*.yaml"))]
RUNS = [(read, policy) for read in READS for policy in policies_of(read)]


def _name(read: Read, policy: str) -> str:
    return f"{read.path.stem}-{policy}"


@pytest.mark.parametrize(("read", "policy"), RUNS, ids=[_name(*run) for run in RUNS])
async def test_a_scenario_file_holds(read: Read, policy: str, tmp_path: Path) -> None:
    outcome = await run_file(read, policy, tmp_path / "run")

    expected = Status.NOT_AVAILABLE if missing(read.scenario) else Status.PASSED
    assert outcome.status is expected, outcome


@pytest.mark.parametrize("read", READS, ids=[read.path.stem for read in READS])
def test_a_file_is_named_after_its_case(read: Read) -> None:
    case = read.scenario.case

    assert case is None or read.path.stem.startswith(f"{case}-")
