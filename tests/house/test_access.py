"""Every endpoint asks for a scope, and whoever changes something needs more than to read."""

from postroom.daemon.api.guard import Scope
from postroom.daemon.api.origins import SAFE_METHODS
from tests.frontends.endpoints import endpoints

OPEN = {
    "hello": "who answers here, before anybody knows which protocol to speak",
    "health": "whether work goes on, for what watches over the process",
    "log_in": "the link itself is the secret",
}
"""Endpoints for everybody, and why: nothing of the store is in their answers."""
BY_READERS = {"logout": "whoever may only look can still stop looking"}
"""What changes something and asks for `read` alone."""


def test_every_endpoint_takes_the_house_through_one_door() -> None:
    wrong = {e.name: set(e.scopes) for e in endpoints() if len(e.scopes) != (e.name not in OPEN)}

    assert not wrong, f"endpoints with no scope, or with several: {wrong}"


def test_what_changes_something_needs_more_than_to_read() -> None:
    lax = [
        e.name
        for e in endpoints()
        if e.method not in SAFE_METHODS and Scope.READ in e.scopes and e.name not in BY_READERS
    ]

    assert not lax, f"endpoints that change something for whoever may look: {lax}"


def test_the_lists_of_exceptions_name_what_there_is() -> None:
    names = {e.name for e in endpoints()}

    assert OPEN.keys() | BY_READERS.keys() <= names
