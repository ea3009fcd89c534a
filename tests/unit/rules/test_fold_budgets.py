"""Folding what bounds a chain: its limits, and the agents that one turn has made."""

from postroom.domain.event import EventKind
from postroom.rules.fold import rows
from tests.unit.rules.logs import Log, running, session


def test_a_chain_keeps_every_limit_that_it_began_with() -> None:
    limits = {
        "messages_max": 8,
        "generations_max": 1,
        "fan_out_max": None,
        "tokens_max": 5,
        "cost_micros_max": 6,
    }
    log = Log().add(EventKind.CHAIN_BEGAN, chain=2, turns_max=None, **limits)

    assert log.fold().chains == {2: rows.Chain(**limits)}


def test_a_turn_counts_the_agents_that_it_makes() -> None:
    log = running(session()).add(EventKind.TURN_FANNED_OUT, turn=1, agents=2)

    assert log.fold().turns[1].fan_out == 2
