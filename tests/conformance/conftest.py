"""Every test here runs on every backend."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.store.sqlite import SqliteStore
from tests.conformance.backends import BACKENDS, SqliteBackend


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.__name__)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteBackend]:
    """A database that nobody has opened yet."""
    made = request.param(tmp_path / "store")
    yield made
    made.close()


@pytest.fixture
def store(backend: SqliteBackend) -> SqliteStore:
    """A new store, open for writing."""
    return backend.open()
