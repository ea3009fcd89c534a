"""The real command line for the tests here that run it."""

from pathlib import Path

import pytest

from tests.cli.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)
