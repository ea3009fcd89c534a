"""The real small model, loaded once for all tests of this folder. `make test-local-model` installs it."""

from collections.abc import Iterator

import pytest

from postroom.testing.local_model import LocalModel


@pytest.fixture(scope="session")
def local_model() -> Iterator[LocalModel]:
    """The model on loopback."""
    with LocalModel() as running:
        yield running
