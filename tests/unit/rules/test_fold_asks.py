"""Folding a log: what the person is asked, and what they allow."""

import pytest

from postroom.domain.event import EventKind
from postroom.rules.fold import rows
from tests.unit.rules.logs import Log, answered, running, session


def asked(log: Log, ask: int = 1, **other: int | str | None) -> Log:
    """The person is asked whether call 3 of turn 1 may be made."""
    facts: dict[str, int | str | None] = {
        "ask": ask, "kind": "approval", "root": 1, "branch": 1, "turn": 1, "call": 3, "action": "write",
        "resource": "notes/a", "recipient": None, "tool": "write_file", "due_us": None,
    }  # fmt: skip
    return log.add(EventKind.ASK_OPENED, **(facts | other))


def test_an_ask_and_its_end_are_folded() -> None:
    log = asked(running(session()))
    log.add(EventKind.ASK_ENDED, ask=1, state="approved", by="person", scope="tree")
    log.add(
        EventKind.GRANT_GIVEN, grant=1, root=1, ask=1, action="write", resource="notes/a", recipient=None,
        tool="write_file",
    )  # fmt: skip

    state = log.fold()

    assert state.breaks == []
    assert (state.asks[1].state, state.asks[1].decided_by, state.asks[1].scope) == (
        "approved", "person", "tree",
    )  # fmt: skip
    assert state.grants == {1: rows.Grant(1, "write", "notes/a", None, "write_file", 1)}


def test_rights_of_a_tree_follow_their_events_and_start_as_an_old_log_leaves_them() -> None:
    """A session that was made before there were rights asks, and somebody is there."""
    log = session()
    assert log.fold().sessions == {1: rows.Session("ask", "[]", 1)}

    log.add(EventKind.MODE_CHANGED, session=1, mode="yolo")
    rule: list[int] = []
    log.add(EventKind.OVERLAY_CHANGED, session=1, overlay=rule)

    assert log.fold().sessions == {1: rows.Session("yolo", "[]", 1)}

    log.add(EventKind.ATTENDED_CHANGED, session=1, attended=0)

    assert log.fold().sessions == {1: rows.Session("yolo", "[]", 0)}


IMPOSSIBLE_ASKS = {
    "an ask that ends twice": [("ask.ended", {"ask": 1, "state": "denied", "by": "", "scope": ""})] * 2,
    "an ask that nobody opened": [("ask.ended", {"ask": 7, "state": "denied", "by": "", "scope": ""})],
    "a grant that nobody gave": [("grant.revoked", {"grant": 1})],
    "rights of no session": [("mode.changed", {"session": 9, "mode": "ask"})],
    "an absence in no session": [("attended.changed", {"session": 9, "attended": 0})],
}


@pytest.mark.parametrize("events", IMPOSSIBLE_ASKS.values(), ids=IMPOSSIBLE_ASKS)
def test_what_cannot_follow_about_asks_is_a_break(events: list[tuple[str, dict[str, int | str]]]) -> None:
    log = asked(running(session()))
    for kind, payload in events:
        log.add(kind, **payload)

    assert len(log.fold().breaks) == 1


def test_a_call_that_waits_for_the_person_goes_on_and_its_turn_is_kept_by_another_process() -> None:
    log = asked(answered(running(session()), calls=[3]))
    log.add(EventKind.TURN_SUSPENDED, turn=1, call=3, task=None)
    log.add(EventKind.CALL_WAITING, call=3, turn=1, task=None, ask=1)
    log.add(EventKind.TURN_KEPT, turn=1, fence=2)
    waiting = log.fold()
    log.add(EventKind.CALL_WENT_ON, call=3)
    gone_on = log.fold()

    assert waiting.waits == {3: rows.Wait(1, 1, None, 1)}
    assert waiting.turns[1].fence == 2
    assert gone_on.waits == {}
    assert gone_on.calls[3].state == "open"
