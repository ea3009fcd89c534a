"""The doctor: does the log still say what the tables say, and does anything wait for ever?

`examine` only looks, on one snapshot, also while a process runs the store. `repair` takes the store,
copies it, and mends what it can, each mend in a transaction of its own beside a `store.repaired`
event: killed in the middle, the next repair finishes; run twice, the second finds nothing. It never
deletes a message. What it cannot mend it leaves in the report.
"""

import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from sqlite3 import DatabaseError

from postroom.clock import Clock, SystemClock
from postroom.errors import IllegalMove, StoreCorrupt
from postroom.faults import reach
from postroom.ids import Ids, SystemIds
from postroom.observe.doctor_check import check, lost_messages
from postroom.observe.doctor_compare import believed, compare, compare_record
from postroom.observe.doctor_paths import walk
from postroom.observe.doctor_read import read_log, read_record, read_tables
from postroom.observe.doctor_report import Counts, Diagnosis, Finding, Report, diagnosis
from postroom.rules.fold.buses import afloat
from postroom.service.recovery import STORE_LOG
from postroom.store.disk import stamp
from postroom.store.lock import LOCK_NAME, is_held
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.workshop import Workshop

__all__ = ["Counts", "Finding", "Report", "examine", "repair"]

PASSES_MAX = 4
"""One mend may show the next: a released claim is mail without a turn. Three passes reach all ends."""


def examine(folder: Path, clock: Clock | None = None) -> Report:
    """What is wrong with the store in `folder`; changes nothing.

    Raises `StoreReadOnly` when there is no store or it cannot be read, `StoreNewer`, and
    `StoreCorrupt` for a database of another program; a damaged file is a finding.
    """
    diagnoses, counts = _diagnose_file(folder, clock or SystemClock())
    findings = [d.finding for d in diagnoses] + _left_behind(folder)
    return Report(folder=folder, findings=tuple(findings), counts=counts)


def repair(
    folder: Path, *, clock: Clock | None = None, ids: Ids | None = None,
    free_bytes: Callable[[Path], int] | None = None,
) -> Report:  # fmt: skip
    """Mend what can be mended; the report holds what was mended and what remains.

    Raises what `examine` raises, `StoreInUse`, and `StoreFull` when there is no room for the backup.
    """
    clock = clock or SystemClock()
    before = examine(folder, clock)
    with Workshop(folder, clock, ids or SystemIds()) as shop:
        mended = _clear(folder, before.findings)
        backup, more = _mend(folder, shop, clock, free_bytes or _free_bytes)
    return replace(examine(folder, clock), mended=(*mended, *more), backup=backup)


def _diagnose_file(folder: Path, clock: Clock) -> tuple[list[Diagnosis], Counts]:
    try:
        store = SqliteStore.open(folder, clock, SystemIds(), read_only=True)
        try:
            return store.look(_diagnose)
        finally:
            store.close()
    except StoreCorrupt as fault:
        if not isinstance(fault.__cause__, DatabaseError):
            raise
        return [_damaged(str(fault.__cause__))], Counts()


def _diagnose(tx: Tx) -> tuple[list[Diagnosis], Counts]:
    """Everything, on the snapshot of one transaction."""
    wrong = tx.integrity()
    if any(not _is_of_index(text) for text in wrong):
        return [_damaged(text) for text in wrong], Counts()
    folded, found, record = read_log(tx), read_tables(tx), read_record(tx)
    truth = believed(folded, found)
    paths = walk(truth, record)
    broken = [
        diagnosis("log_broken", "event", b.pos, "a log that can be folded", f"session {b.session}: {b.what}")
        for b in folded.breaks
    ]
    unread = folded.sent - folded.accepted.keys() - afloat(folded)
    gone = (folded.accepted.keys() - record.messages) | unread
    counts = Counts(
        messages=len(folded.accepted), turns=folded.turns_started,
        lost=len(gone | lost_messages(truth, paths)), doubled=len(folded.doubled | paths.doubled),
    )  # fmt: skip
    epoch = int(tx.meta_value("epoch") or 0)
    return [
        *(_index(text) for text in wrong), *broken, *compare(folded, found),
        *compare_record(folded, record, epoch), *check(truth, paths),
    ], counts  # fmt: skip


def _damaged(text: str) -> Diagnosis:
    return diagnosis("file_damaged", "file", "postroom.db", "a sound file; restore a backup", text)


def _is_of_index(text: str) -> bool:
    """An index can be built anew from its table; nothing else can."""
    return "missing from index" in text or "wrong # of entries in index" in text


def _index(text: str) -> Diagnosis:
    return diagnosis("index_damaged", "file", "postroom.db", "a sound index", text, Tx.reindex)


def _mend(
    folder: Path, shop: Workshop, clock: Clock, free_bytes: Callable[[Path], int]
) -> tuple[Path | None, list[Finding]]:
    """Pass after pass, until a pass finds nothing that can be mended."""
    backup, mended = None, list[Finding]()
    for _ in range(PASSES_MAX):
        todo = [d for d in _diagnose_file(folder, clock)[0] if d.mend is not None]
        if not todo:
            break
        backup = backup or shop.back_up(stamp(clock.now_us()), free_bytes)
        for one in todo:
            if mended:
                reach("repair.between")
            if _mend_one(shop, one):
                mended.append(one.finding)
    return backup, mended


def _mend_one(shop: Workshop, one: Diagnosis) -> bool:
    """One mend and its event, durable together; what the store's own rules forbid stays a finding."""
    try:
        shop.write(_apply, one)
    except IllegalMove:
        return False
    return True


def _apply(tx: Tx, one: Diagnosis) -> None:
    finding = one.finding
    if one.mend is not None:
        one.mend(tx)
    tx.log_repair(STORE_LOG, finding.code, finding.table, finding.key)


def _left_behind(folder: Path) -> list[Finding]:
    """What a killed process leaves in the folder; it blocks nobody, and the next start clears it too."""
    if is_held(folder):
        return []
    sockets = (path for path in sorted(folder.iterdir()) if stat.S_ISSOCK(path.lstat().st_mode))
    found = [_harmless("stale_door", path, "a process that listens") for path in sockets]
    lock = folder / LOCK_NAME
    if lock.is_file() and (holder := lock.read_text("ascii", "replace").strip()):
        found.append(_harmless("stale_lock", lock, f"the process {holder} that it names"))
    return found


def _harmless(code: str, path: Path, expected: str) -> Finding:
    return Finding(
        code=code, table="file", key=path.name, expected=expected, found="nobody holds the store",
        mendable=True, harmless=True,
    )  # fmt: skip


def _clear(folder: Path, findings: tuple[Finding, ...]) -> list[Finding]:
    """Under the lock: a dead door goes; the lock's file is ours now, and is emptied when we let go."""
    cleared = [f for f in findings if f.harmless]
    for finding in cleared:
        if finding.code == "stale_door":
            (folder / finding.key).unlink(missing_ok=True)
    return cleared


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
