"""Events: numbered per session without gaps, ordered over the store by commit."""

from typing import Final

from postroom.domain.event import Event, EventKind
from postroom.store.tx_base import BaseTx

LOG_TAG: Final = "log_tag"
"""The fact about the store that tells its log from that of the store which a backup was made of."""


class LogTx(BaseTx):
    """The log of the store."""

    __slots__ = ()

    def event(
        self, session: int, kind: EventKind, payload: str, *, actor: str = "system", turn: int | None = None
    ) -> None:
        """Append one event. `payload` is a JSON object of keys and codes, never text."""
        seqs = self.caches.seqs
        seq = seqs.get(session)
        if seq is None:
            seq = self.last_seq(session)
        seqs[session] = seq + 1
        self._do("insert_event", session, seq + 1, self.now_us, str(kind), actor, turn, payload)

    def last_seq(self, session: int) -> int:
        """The number of a session's newest event, 0 when it has none."""
        return self._number("last_seq", session)

    def events_after(self, pos: int, limit: int) -> list[Event]:
        """The store's log behind a position."""
        return self._each("events_after", Event._make, pos, limit)

    def events_of_session(self, session: int, seq: int, limit: int) -> list[Event]:
        """One session's log behind a number."""
        return self._each("events_of_session", Event._make, session, seq, limit)

    def last_pos(self) -> int:
        """The position of the newest event, 0 in a new store."""
        return self._number("last_pos")

    def log_tag(self) -> str:
        """What tells the log of a store that was restored from every other; empty while it never was."""
        return self.meta_value(LOG_TAG) or ""

    def pos_before_text(self, delivery: int) -> int:
        """Where the log ended when a text of the person was accepted; 0 where the log has been pruned."""
        return self._number("pos_before_text", delivery)

    def pos_before_post(self, turn: int, message: int) -> int:
        """The same of a text that went to everyone in a turn."""
        return self._number("pos_before_post", turn, message)

    def meta_value(self, name: str) -> str | None:
        """One fact about the store."""
        return self._value("meta_value", str, name)

    def set_meta(self, name: str, value: str) -> None:
        """Change one fact about the store."""
        self._do("set_meta", name, value)
        self.caches.epoch = None

    def place_now(self, place: str, cwd: str) -> str:
        """The canonical directory of who was made for `place`; '' when it is gone.

        Another directory behind a link in its place is not the one that was meant. Who was made for one that
        was not there yet, and so has no place, works in it as soon as it is.
        """
        now = self.place_of(place or cwd)
        return now if not place or now == place else ""

    def epoch(self) -> int:
        """Which start of a process this is, counted from 1."""
        if self.caches.epoch is None:
            self.caches.epoch = int(self.meta_value("epoch") or 0)
        return self.caches.epoch

    def make_resident(self, branch: int, resident_epoch: int) -> bool:
        """This process holds an agent in memory from now on; `False`: it did already. The caller logs it."""
        epoch = self.epoch()
        if resident_epoch == epoch:
            return False
        self._do("set_resident", epoch, branch)
        return True
