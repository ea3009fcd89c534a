"""Folding forks and reverts."""

from postroom.domain.event import EventKind
from tests.unit.rules.logs import Log, answered, claimed, mail, running, session


def read_one() -> Log:
    """Branch 1 has read delivery 1 in a turn that is over."""
    log = answered(claimed(running(mail(session()))))
    log.add(EventKind.NODES_APPENDED, branch=1, head=6, chars=50)
    log.add(EventKind.MESSAGE_CONSUMED, delivery=1, turn=1, round=1)
    return log.add(EventKind.TURN_ENDED, turn=1, branch=1, state="finished", fence=2, end_reason="answered")


def test_a_revert_moves_the_head_and_leaves_a_sealed_branch() -> None:
    """CK-38: the delivery stays consumed, and no counter moves."""
    log = read_one()
    before = log.fold()

    after = log.add(EventKind.BRANCH_REVERTED, branch=1, head=None, chars=0, sealed=2, read=[1]).fold()

    assert not after.breaks
    assert after.branches[1] == before.branches[1]._replace(head=None, context_chars=0)
    sealed = after.branches[2]
    assert (sealed.head, sealed.context_chars, sealed.sealed_from, sealed.parent) == (6, 50, 1, None)
    assert after.deliveries[1] == before.deliveries[1]._replace(reverted=1)
    assert after.pairs == before.pairs


def test_a_branch_with_a_turn_is_not_taken_back() -> None:
    log = running(mail(session())).add(
        EventKind.BRANCH_REVERTED, branch=1, head=None, chars=0, sealed=2, read=[]
    )

    folded = log.fold()

    assert [b.what for b in folded.breaks] == ["branch.reverted: branch 1 has turn 1"]
    assert set(folded.branches) == {1}


def test_mail_that_lost_its_node_may_be_appended_again() -> None:
    """A second node is a double only while the first one still counts."""
    log = running(mail(session()))
    claimed(log, node=5).add(EventKind.MESSAGE_RELEASED, delivery=1, parked=0, node=5)
    log.add(EventKind.MESSAGE_PLACED, delivery=1, node=None)

    folded = claimed(log, node=9).fold()

    assert not folded.breaks
    assert not folded.doubled
    assert folded.deliveries[1].node == 9


def test_a_fork_begins_with_the_length_of_what_it_shares() -> None:
    told = session().add(EventKind.SESSION_FORKED, session=1, branch=1, source=7, head=4, chars=30, seq=6)
    folded = told.fold()

    assert not folded.breaks
    assert (folded.branches[1].head, folded.branches[1].context_chars) == (4, 30)
    assert folded.branches[1].mailbox_seq == 6
