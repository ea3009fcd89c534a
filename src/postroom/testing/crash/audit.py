"""Nothing lost, nothing doubled: what a quiet store and its journal must agree on after any kill.

Everything is counted from the rows, from the log and from what was promised outside; the code that
wrote the store is asked only to rebuild the requests, because those must be exactly what models saw.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.observe.doctor import examine
from postroom.store.sqlite import SqliteStore
from postroom.testing import invariants
from postroom.testing.crash import buses, counts, history, mail
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.journal import Journal
from postroom.testing.crash.leave import leave
from postroom.testing.crash.record import Record

CHECKS: tuple[Callable[[Record], Iterator[Finding]], ...] = (
    mail.deliveries,
    mail.sends,
    mail.moves,
    mail.order,
    leave,
    buses.ends,
    buses.texts,
    history.once,
    history.answered,
    history.pairs,
    counts.tasks,
    counts.quiet,
    counts.totals,
    counts.log,
)


def audit(folder: Path) -> list[Finding]:
    """What does not fit in a store that nobody runs and in which all is quiet; empty when all is well."""
    record, journal = Record(folder), Journal(folder)
    found = [Finding(trouble=Trouble.INVALID, text=page) for page in record.broken_pages if page != "ok"]
    found += [*mail.promises(record, journal), *history.same_requests(record, journal)]
    found += [finding for check in CHECKS for finding in check(record)]
    store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
    try:
        found += history.strict_requests(record, journal, store)
        if not found:  # they take every row for granted that the checks above have looked for
            broken = store.look(invariants.flaws, journal.receipts())
            found += [Finding(trouble=Trouble.INVARIANT, text=text) for text in broken]
    finally:
        store.close()
    ill = [str(f) for f in examine(folder).findings if not f.harmless]
    return found + [Finding(trouble=Trouble.DIAGNOSED, text=text) for text in ill]
