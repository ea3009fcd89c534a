"""Folding a log, event by event: what it gives, and what it refuses to believe."""

from collections.abc import Callable

import pytest

from postroom.domain.event import EventKind
from postroom.rules.fold import apply, fold, rows
from tests.unit.rules.logs import Log, answered, claimed, ended, mail, running, session

COUNTERS = {
    "a steer": ("mail", "steer", (1, 0, 0, 0, 1)),
    "a queued mail": ("mail", "queue", (0, 1, 0, 0, 1)),
    "a result": ("result", "steer", (1, 0, 0, 0, 0)),
    "a notice": ("notice", "steer", (0, 0, 1, 0, 0)),
}


@pytest.mark.parametrize(("kind", "mode", "expected"), COUNTERS.values(), ids=COUNTERS)
def test_accepted_mail_counts_for_its_mailbox(kind: str, mode: str, expected: tuple[int, ...]) -> None:
    """I7"""
    branch = mail(session(), kind=kind, mode=mode).fold().branches[1]

    assert (branch.n_steer, branch.n_queue, branch.n_notice, branch.n_parked, branch.n_cap) == expected
    assert branch.mailbox_seq == 1


def test_the_window_of_a_pair_holds_mail_until_it_is_consumed() -> None:
    log = claimed(running(mail(mail(session()), 2)))

    assert log.fold().pairs == {(7, 1): rows.Pair(2)}
    assert log.add(EventKind.MESSAGE_CONSUMED, delivery=1, turn=1, round=1).fold().pairs == {
        (7, 1): rows.Pair(1)
    }


def test_a_consumed_delivery_knows_its_turn_node_and_round() -> None:
    log = claimed(running(mail(session()))).add(EventKind.MESSAGE_CONSUMED, delivery=1, turn=1, round=1)

    assert log.fold().deliveries[1] == rows.Delivery(
        message=1, branch=1, sender=7, kind="mail", mode="steer", seq=1, state="consumed", attempts=1, turn=1,
        node=5, round=1,
    )  # fmt: skip


def test_a_released_delivery_keeps_its_node_and_its_attempts() -> None:
    log = claimed(running(mail(session()))).add(EventKind.MESSAGE_RELEASED, delivery=1, parked=1, node=5)
    state = log.fold()

    row = state.deliveries[1]
    assert (row.state, row.parked, row.attempts, row.turn, row.node) == ("accepted", 1, 1, None, 5)
    assert (state.branches[1].n_steer, state.branches[1].n_parked) == (0, 1)


def test_mail_can_be_parked_and_unparked_without_a_claim() -> None:
    log = mail(session()).add(EventKind.MESSAGE_RELEASED, delivery=1, parked=1, node=None)
    parked = log.fold().branches[1]
    free = log.add(EventKind.MESSAGE_UNPARKED, delivery=1).fold().branches[1]

    assert (parked.n_steer, parked.n_parked) == (0, 1)
    assert (free.n_steer, free.n_parked) == (1, 0)


def test_a_returned_result_gets_its_node_when_its_round_is_complete() -> None:
    log = claimed(running(mail(session(), kind="result")), node=None)
    log.add(EventKind.MESSAGE_PLACED, delivery=1, node=8)

    assert log.fold().deliveries[1].node == 8


def test_a_discarded_delivery_says_why() -> None:
    row = (
        mail(session()).add(EventKind.MESSAGE_DISCARDED, delivery=1, reason="cancelled").fold().deliveries[1]
    )

    assert (row.state, row.reason) == ("discarded", "cancelled")


def test_a_turn_holds_its_branch_until_it_ends() -> None:
    """G7"""
    log = running(session())
    during = log.fold()
    after = ended(answered(log)).fold()

    assert during.branches[1].turn == 1
    assert during.turns[1].state == "running"
    assert (after.branches[1].turn, after.branches[1].last_turn_state) == (None, "finished")
    assert after.turns[1] == rows.Turn(
        branch=1, session=1, trigger="mail", chain=1, task=None, state="finished", fence=2,
        end_reason="answered", messages=2, generations=1, rounds=1,
    )  # fmt: skip


def test_a_chain_sums_turns_and_tokens() -> None:
    assert answered(running(session())).fold().chains == {1: rows.Chain(turns=1, turns_max=9, tokens=7)}


def test_a_deeper_steer_changes_the_numbers_of_its_turn() -> None:
    log = running(session()).add(EventKind.TURN_DEEPENED, turn=1, messages=5, generations=2)

    assert log.fold().turns[1][8:10] == (5, 2)


def test_calls_open_with_their_answer_and_end_once() -> None:
    log = answered(running(session()), calls=[11, 12])
    log.add(EventKind.CALL_ENDED, call=11, turn=1, ended_by="tool", delivery=3)

    assert log.fold().calls == {
        11: rows.Call(turn=1, round=1, position=0, state="ended", ended_by="tool", delivery=3),
        12: rows.Call(turn=1, round=1, position=1),
    }


def test_a_sent_mail_is_the_end_of_its_call_and_a_prompt_is_not() -> None:
    log = answered(running(session()), calls=[11, 12])
    log.add(EventKind.MESSAGE_SENT, message=3, to=2, call=11, kind="mail")
    log.add(EventKind.MESSAGE_SENT, message=4, to=2, call=12, kind="prompt")
    calls = log.fold().calls

    assert (calls[11].state, calls[11].message) == ("ended", 3)
    assert (calls[12].state, calls[12].message) == ("open", 4)


def test_a_changed_call_names_who_changed_it_while_it_is_open() -> None:
    log = answered(running(session()), calls=[11])
    log.add(EventKind.CALL_CHANGED, call=11, by="guide").add(
        EventKind.CALL_ENDED, call=11, turn=1, ended_by="tool", delivery=None
    )
    folded = log.fold()
    late = log.add(EventKind.CALL_CHANGED, call=11, by="ghost").fold()

    assert (folded.calls[11].changed_by, folded.breaks) == ("guide", [])
    assert late.calls[11].changed_by == "guide"
    assert len(late.breaks) == 1


def test_a_wait_lasts_until_its_call_ends() -> None:
    log = answered(running(session()), calls=[11])
    log.add(EventKind.TURN_SUSPENDED, turn=1, call=11, task=4).add(
        EventKind.CALL_WAITING, call=11, turn=1, task=4
    )
    during = log.fold()
    log.add(EventKind.TURN_RESUMED, turn=1).add(
        EventKind.CALL_ENDED, call=11, turn=1, ended_by="tool", delivery=None
    )

    assert during.turns[1].state == "suspended"
    assert during.waits == {11: rows.Wait(branch=1, turn=1, task=4)}
    assert (log.fold().turns[1].state, log.fold().waits) == ("running", {})


def test_a_task_is_queued_started_and_ended() -> None:
    log = session().add(EventKind.TASK_QUEUED, task=4, target=1, dispatcher=9, dispatcher_turn=3, parent=None)
    log.add(EventKind.TASK_STARTED, task=4, turn=1)
    running_task = log.fold().tasks[4]
    log.add(EventKind.TASK_ENDED, task=4, state="errored", outcome="failed", cause="why", message=8)

    assert (running_task.state, running_task.turn) == ("running", 1)
    assert log.fold().tasks[4] == rows.Task(
        dispatcher=9, dispatcher_turn=3, target=1, parent=None, state="errored", outcome="failed",
        cause="why", turn=1, result_message=8,
    )  # fmt: skip


def test_a_branch_is_paused_and_its_head_moves() -> None:
    log = session().add(EventKind.BRANCH_PAUSED, branch=1, by=1)
    log.add(EventKind.NODES_APPENDED, branch=1, head=5, chars=10)
    log.add(EventKind.NODES_APPENDED, branch=1, head=6, chars=7)
    row = log.fold().branches[1]

    assert (row.paused_by, row.head, row.context_chars) == (1, 6, 17)
    assert log.add(EventKind.BRANCH_UNPAUSED, branch=1).fold().branches[1].paused_by is None


IMPOSSIBLE: dict[str, Callable[[], Log]] = {
    "a second end of a turn": lambda: ended(ended(answered(running(session())))),
    "a second turn of a branch": lambda: running(session()).add(
        EventKind.TURN_WAITING, turn=2, branch=1, chain=1, task=None, trigger="mail"
    ),
    "an answer of no turn": lambda: answered(session()),
    "a skipped round": lambda: answered(running(session()), round_=2),
    "a claim of nothing": lambda: claimed(running(session())),
    "a second claim": lambda: claimed(claimed(running(mail(session())))),
    "a skipped place": lambda: mail(session(), 2),
    "a call that ends twice": lambda: (
        answered(running(session()), calls=[11])
        .add(EventKind.CALL_ENDED, call=11, turn=1, ended_by="tool", delivery=None)
        .add(EventKind.CALL_ENDED, call=11, turn=1, ended_by="tool", delivery=None)
    ),
    "a missing number": lambda: session().add(EventKind.MESSAGE_CONSUMED, turn=1, round=1),
    "an unknown word": lambda: mail(session(), kind="rumour"),
    "a branch of nobody": lambda: Log().add(EventKind.BRANCH_UNPAUSED, branch=3),
}


@pytest.mark.parametrize("log", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_have_happened_changes_nothing_and_leaves_a_break(log: Callable[[], Log]) -> None:
    events = log().events
    before, after = fold(events[:-1]), fold(events)

    assert len(after.breaks) == 1
    assert after.breaks[0].pos == len(events)
    tables = ("branches", "deliveries", "turns", "tasks", "calls", "waits", "chains", "pairs")
    assert [getattr(after, t) for t in tables] == [getattr(before, t) for t in tables]


def test_a_gap_in_the_numbers_is_a_break() -> None:
    events = mail(session()).events

    assert [b.seq for b in fold([events[0], events[2]]).breaks] == [3]


def test_a_payload_that_is_no_json_is_a_break() -> None:
    event = session().events[0]._replace(payload="{")

    assert len(fold([event]).breaks) == 1


def test_a_message_read_twice_is_counted_once_as_doubled() -> None:
    """I2"""
    log = claimed(running(mail(session()))).add(EventKind.MESSAGE_CONSUMED, delivery=1, turn=1, round=1)
    log.add(EventKind.MESSAGE_CONSUMED, delivery=1, turn=1, round=2)

    assert log.fold().doubled == {1}


def test_a_second_node_of_a_delivery_is_doubled() -> None:
    log = claimed(running(mail(session()))).add(EventKind.MESSAGE_RELEASED, delivery=1, parked=0, node=5)

    assert claimed(log, node=5).fold().doubled == set()
    assert claimed(
        log.add(EventKind.MESSAGE_RELEASED, delivery=1, parked=0, node=5), node=6
    ).fold().doubled == {1}


def test_folding_goes_on_where_it_stood() -> None:
    events = ended(answered(claimed(running(mail(session()))))).events
    state = fold(events[:3])
    for event in events[3:]:
        apply(state, event)

    assert state == fold(events)


def test_kinds_that_change_no_table_are_told_and_nothing_else() -> None:
    log = session().add(EventKind.MESSAGE_REFUSED, code="inbox_full").add("weather.changed", to="rain")

    assert log.fold().breaks == []
