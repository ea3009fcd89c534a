"""Every row of every table against what the log folds to; where they differ, the fold wins."""

from collections.abc import Iterator
from functools import partial

from postroom.domain.message import State
from postroom.observe.doctor_read import Record
from postroom.observe.doctor_report import Diagnosis, diagnosis
from postroom.observe.doctor_tables import NOTHING, TABLES, Sides
from postroom.rules.fold import Folded, Tables
from postroom.rules.fold.buses import afloat
from postroom.store.tx import Tx


def compare(folded: Folded, found: Tables) -> list[Diagnosis]:
    """What differs, table by table, in the order in which it is to be mended."""
    sides = Sides(folded, found, _broken(folded))
    return [one for table in TABLES for one in table.differences(sides)]


def believed(folded: Folded, found: Tables) -> Tables:
    """The rows to believe: the fold's, and the table's where a log is broken or says nothing."""
    sides, truth = Sides(folded, found, _broken(folded)), Tables()
    for table in TABLES:
        table.believe(sides, truth)
    return truth


def _broken(folded: Folded) -> frozenset[int]:
    return frozenset(one.session for one in folded.breaks)


def compare_record(folded: Folded, record: Record, epoch: int) -> Iterator[Diagnosis]:
    """What the log names and is not there, and the count of starts."""
    for message in sorted(folded.accepted.keys() - record.messages):
        yield diagnosis("message_missing", "message", message, "a row", NOTHING)
    for message in sorted((folded.sent | folded.posted.keys()) - folded.accepted.keys() - afloat(folded)):
        yield diagnosis("message_lost", "message", message, "an accepted delivery", "only that it was sent")
    for key in sorted(folded.delivered):
        row = folded.deliveries.get(key)
        if row is None or row.state == State.HELD:
            yield diagnosis("message_lost", "delivery", key, "an accepted delivery", "only that it was made")
    for call in record.textless_calls:
        yield diagnosis("result_missing", "call", call, "a text", "none")
    if epoch != folded.epoch:
        mend = None if folded.breaks else partial(_set_epoch, folded.epoch)
        yield diagnosis("row_differs", "meta", "epoch", str(folded.epoch), str(epoch), mend)


def _set_epoch(epoch: int, tx: Tx) -> None:
    tx.set_meta("epoch", str(epoch))
