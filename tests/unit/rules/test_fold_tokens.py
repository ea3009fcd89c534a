"""Folding a log: who may call the API."""

import pytest

from postroom.domain.event import EventKind
from postroom.rules.fold import rows
from tests.unit.rules.logs import Log


def added(log: Log, token: int = 1, **other: int | str | None) -> Log:
    """A token is handed out."""
    facts: dict[str, int | str | None] = {"kind": "program", "scope": "read", "expires_us": None}
    return log.add(EventKind.TOKEN_ADDED, token=token, **(facts | other))


def test_a_token_and_its_end_are_folded() -> None:
    log = added(added(Log()), 2, kind="page", scope="admin", expires_us=9)
    log.add(EventKind.TOKEN_REVOKED, token=1)

    state = log.fold()

    assert state.breaks == []
    assert state.tokens == {1: rows.Token("program", "read", None, 1), 2: rows.Token("page", "admin", 9, 0)}


IMPOSSIBLE = {
    "one that ends twice": [(EventKind.TOKEN_REVOKED, {"token": 1})] * 2,
    "one that nobody handed out": [(EventKind.TOKEN_REVOKED, {"token": 7})],
    "a scope that there is not": [
        (EventKind.TOKEN_ADDED, {"token": 2, "kind": "page", "scope": "all", "expires_us": 1})
    ],
}


@pytest.mark.parametrize("events", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_follow_about_tokens_is_a_break(
    events: list[tuple[EventKind, dict[str, int | str]]],
) -> None:
    log = added(Log())
    for kind, payload in events:
        log.add(kind, **payload)

    assert len(log.fold().breaks) == 1
