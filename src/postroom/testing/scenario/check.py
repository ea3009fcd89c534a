"""The end of every file: all is let go, all comes to rest, and the invariants I1 to I8 hold."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from postroom.llm.port import Purpose
from postroom.observe.doctor import examine
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.scenario.journal import Journal
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.record import Record

QUIET_S: Final = 86_400.0
"""Fake seconds that must bring no model call (I8)."""


async def come_to_rest(play: Play) -> list[str]:
    """Open every gate, wait until all is quiet, let a day pass; what broke I7 or I8 meanwhile."""
    play.let_go()
    play.open_gates.update(play.read.scenario.gates)
    stage = await play.stage()
    await stage.open_gates(sorted(play.open_gates))
    play.now_us = await stage.quiesce()
    for name in list(play.running):
        await play.running.pop(name)  # a step in the background that failed fails the file
    if play.record.look(Tx.set_timers, 1):  # a text that comes due is input
        play.now_us = await stage.pass_time(QUIET_S)
        play.now_us = await stage.quiesce()
    before = len(play.record.requests())
    wrong: list[str] = []
    if play.read.scenario.clock == "fake":
        play.now_us = await stage.pass_time(QUIET_S)
        play.now_us = await stage.quiesce()
        more = len(play.record.requests()) - before
        wrong += [f"I8 {more} model calls without any input"] if more else []
    if await stage.slots_held():
        wrong.append("I7 a slot is held although nothing runs")
    return wrong


async def flaws(play: Play) -> list[str]:
    """Every invariant that does not hold and is not excepted. The room is closed afterwards."""
    wrong = await come_to_rest(play)
    live = play.record.look(invariants.picture)
    await play.leave()
    if play.record.look(invariants.picture) != live:
        wrong.append("I5 the reopened store differs from the live one")
    wrong += _of_store(play.record)
    excepted = play.read.scenario.invariants.except_
    return [flaw for flaw in wrong if flaw.split()[0] not in excepted]


def _of_store(record: Record) -> Iterator[str]:
    journal = Journal(record.folder)
    noted = journal.read()
    asked = [one.request for one in noted if one.request.purpose is Purpose.TURN]
    yield from record.look(invariants.flaws, invariants.receipts(asked)) or ()
    fresh = record.look(invariants.fresh_starts) or Counter()
    yield from (f"I2 {flaw}" for flaw in invariants.rewritten(asked, fresh))
    yield from (f"I4 {flaw}" for flaw in journal.flaws())
    yield from (f"I5 {finding}" for finding in map(str, examine(record.store).findings))
