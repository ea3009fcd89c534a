"""A command line over an empty folder, and teams to run with it."""

from pathlib import Path

import pytest

from tests.cli.cli import ANSWERS, THINKS, Cli, write_team


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """One agent that answers at once."""
    return write_team(tmp_path / "team", {"ann": ANSWERS})


@pytest.fixture
def slow_team(tmp_path: Path) -> Path:
    """One agent that thinks for longer than any test."""
    return write_team(tmp_path / "slow", {"ann": THINKS})
