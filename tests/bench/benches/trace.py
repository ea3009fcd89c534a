"""Every statement that a store runs, with its values: what is read, and whether it is read twice."""

from collections import Counter
from collections.abc import Callable

from postroom.store.sqlite import SqliteStore


class Trace:
    """Listens to the writing connection of a store, and to every reading one."""

    def __init__(self, store: SqliteStore) -> None:
        self.statements: list[str] = []
        self._store = store
        self._listen(self.statements.append)

    def stop(self) -> None:
        """Hear nothing more."""
        self._listen(None)

    @property
    def n_reads(self) -> int:
        """Statements that only look."""
        return sum(_is_read(statement) for statement in self.statements)

    def repeated(self) -> list[str]:
        """Reads that one transaction made twice, values included: it knew the answer already."""
        found: list[str] = []
        seen: Counter[str] = Counter()
        for statement in self.statements:
            if statement.startswith("BEGIN"):
                seen.clear()
            elif _is_read(statement):
                seen[statement] += 1
                found += [statement] if seen[statement] == 2 else []
        return found

    def of_conversation(self) -> list[str]:
        """Reads of the texts that the turn has in memory already: bodies of messages, parts of nodes."""
        return [s for s in self.statements if _is_read(s) and (".body" in s or "parts" in s)]

    def _listen(self, callback: Callable[[str], None] | None) -> None:
        store = self._store  # below the named statements there is no door
        assert store._connection is not None  # noqa: SLF001
        store._connection.set_trace_callback(callback)  # noqa: SLF001
        readers = [store._readers.get() for _ in range(store._readers.qsize())]  # noqa: SLF001
        for reader in readers:
            reader.set_trace_callback(callback)
            store._readers.put(reader)  # noqa: SLF001


def _is_read(statement: str) -> bool:
    return statement.lstrip().startswith(("SELECT", "WITH"))
