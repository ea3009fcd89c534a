"""A command line over an empty folder."""

from pathlib import Path

import pytest

from tests.cli.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)
