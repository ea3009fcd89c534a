"""What a step must hold because its verb is this one."""

from typing import TypeVar

T = TypeVar("T")


def need(given: T | None) -> T:
    """The value of the verb that was looked up."""
    assert given is not None  # noqa: S101 -- the table of verbs found it there
    return given
