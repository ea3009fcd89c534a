"""Every row of every table against what the log folds to; where they differ, the fold wins."""

from collections.abc import Iterator
from functools import partial

from postroom.domain.message import State
from postroom.observe.doctor_read import Record
from postroom.observe.doctor_report import Diagnosis, Finding
from postroom.observe.doctor_tables import NOTHING, TABLES, Sides
from postroom.rules.fold import Folded, Tables
from postroom.rules.fold.buses import afloat
from postroom.store.tx import Tx


def compare(folded: Folded, found: Tables) -> list[Diagnosis]:
    """What differs, table by table, in the order in which it is to be mended."""
    sides = Sides(folded, found, _broken(folded))
    return [diagnosis for table in TABLES for diagnosis in table.differences(sides)]


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
        yield unmended("message_missing", "message", message, "a row", NOTHING)
    for message in sorted((folded.sent | folded.posted.keys()) - folded.accepted.keys() - afloat(folded)):
        yield unmended("message_lost", "message", message, "an accepted delivery", "only that it was sent")
    for key in sorted(folded.delivered):
        row = folded.deliveries.get(key)
        if row is None or row.state == State.HELD:
            yield unmended("message_lost", "delivery", key, "an accepted delivery", "only that it was made")
    for call in record.textless_calls:
        yield unmended("result_missing", "call", call, "a text", "none")
    if epoch != folded.epoch:
        finding = Finding(
            code="row_differs", table="meta", key="epoch", expected=str(folded.epoch), found=str(epoch),
            mendable=not folded.breaks,
        )  # fmt: skip
        yield Diagnosis(finding, partial(_set_epoch, folded.epoch) if finding.mendable else None)


def _set_epoch(epoch: int, tx: Tx) -> None:
    tx.set_meta("epoch", str(epoch))


def unmended(code: str, table: str, key: object, expected: str, found: str) -> Diagnosis:
    """A finding that a repair can only report."""
    return Diagnosis(
        Finding(code=code, table=table, key=str(key), expected=expected, found=found, mendable=False), None
    )
