"""The process's own log: JSON lines under the store's folder, an event name and fields, never a body.

It follows the store's log (turns, refusals, repairs) and hears from the hooks what is not in there
(waits for a provider, pauses of the store). Losing a line costs nothing but the line.
"""

import json
import logging
import re
import sys
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from postroom.domain.event import EventKind
from postroom.errors import Fault, ModelUnavailable, StoreFault
from postroom.observe.event_view import EventView, Names, read_events
from postroom.observe.tail import PAGE, subscribe
from postroom.store.sqlite import SqliteStore

FOLDER: Final = "logs"
FILE: Final = "postroom.log"
Fact: TypeAlias = str | int | float | bool | None

_CODE = re.compile(r"^[a-z][a-z0-9_.]*(?=$|:)")
_LEVELS: Final = {
    EventKind.PROCESS_STARTED: logging.INFO,
    EventKind.SESSION_CREATED: logging.INFO,
    EventKind.TURN_STARTED: logging.INFO,
    EventKind.TURN_ENDED: logging.INFO,
    EventKind.TASK_ENDED: logging.INFO,
    EventKind.BRANCH_PAUSED: logging.INFO,
    EventKind.BRANCH_UNPAUSED: logging.INFO,
    EventKind.BRANCH_REVERTED: logging.INFO,
    EventKind.SESSION_FORKED: logging.INFO,
    EventKind.MESSAGE_REFUSED: logging.WARNING,
    EventKind.DELEGATION_REFUSED: logging.WARNING,
    EventKind.MESSAGE_DISCARDED: logging.WARNING,
    EventKind.PERSON_NOTIFIED: logging.WARNING,
    EventKind.REPAIRED: logging.WARNING,
}
_BAD_ENDS: Final = frozenset(("failed", "errored"))


class RoomLog:
    """The log of one process over one store. Nothing is made before the first line is written."""

    def __init__(
        self, folder: Path, *, level: str = "info", file_bytes_max: int = 5 * 1024 * 1024,
        files_kept: int = 3, also: TextIO | None = None,
    ) -> None:  # fmt: skip
        self._folder = folder / FOLDER
        self._bytes_max, self._kept = file_bytes_max, files_kept
        self._also = also
        self._started_us: dict[object, int] = {}
        # A logger of its own and not the program's: a library leaves the program's logging alone.
        self._logger = logging.Logger("postroom", level.upper())  # noqa: LOG001
        self._ready = False
        self._closed = False
        self.pos = 0
        """How far the store's log has been written."""

    def write(self, level: int, name: str, **facts: Fact) -> None:
        """One line: an event name and fields. Never raises; a log that cannot be written is silent."""
        if self._logger.isEnabledFor(level) and not self._closed:
            self._make_ready()
            self._logger.log(level, name, extra={"facts": facts})

    def provider_waits(self, branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        """A provider is overloaded or away; the turn tries again."""
        self.write(
            logging.WARNING, "provider.waiting", branch=branch, wait_s=round(wait_s, 3), code=fault.code
        )

    def store_pauses(self, fault: StoreFault) -> None:
        """The store cannot be written for now; turns wait."""
        self.write(logging.ERROR, "store.paused", code=fault.code)

    def traces_lost(self) -> None:
        """The collector of traces is away; what could not be sent to it is lost."""
        self.write(logging.WARNING, "traces.lost")

    def fault(self, name: str, fault: BaseException) -> None:
        """Something failed; what no fault of ours explains is told with its place in the code."""
        if isinstance(fault, Fault):
            self.write(logging.ERROR, name, code=fault.code)
            return
        frames = traceback.extract_tb(fault.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        self.write(logging.ERROR, name, code=type(fault).__name__, place=place)

    def event(self, event: EventView) -> None:
        """What the store's log says, without what might be text."""
        self.pos = event.pos
        level = _LEVELS.get(EventKind(event.kind), logging.DEBUG)
        facts: dict[str, Fact] = {k: _without_text(k, v) for k, v in event.facts.items()}
        if facts.get("state") in _BAD_ENDS:
            level = logging.ERROR
        elif event.kind == EventKind.SIDE_CALL_MADE and facts.get("code"):
            level = logging.WARNING  # the person is asked what they wanted to be spared
        turn = event.facts.get("turn")
        if event.kind == EventKind.TURN_STARTED:
            self._started_us[turn] = event.ts_us
        elif event.kind == EventKind.TURN_ENDED and turn in self._started_us:
            facts["duration_s"] = round((event.ts_us - self._started_us.pop(turn)) / 1e6, 3)
        facts |= {"pos": event.pos, "session": event.session_id, "agent": event.agent}
        self.write(level, event.kind, **facts)

    async def follow(self, store: SqliteStore) -> None:
        """Write every event behind `pos`, until cancelled."""
        async for event in subscribe(store, self.pos):
            self.event(event)

    async def catch_up(self, store: SqliteStore) -> None:
        """Write what `follow` has not come to."""
        while page := await store.read(read_events, Names(), self.pos, PAGE):
            for event in page:
                self.event(event)

    def close(self) -> None:
        """Close the file; what is written from now on is dropped."""
        self._closed = True
        for handler in list(self._logger.handlers):
            self._logger.removeHandler(handler)
            handler.close()

    def _make_ready(self) -> None:
        if self._ready:
            return
        self._ready = True
        if self._also is not None:
            self._add(_Lines(self._also))
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._add(_File(self._folder / FILE, self._bytes_max, self._kept))
        except OSError:  # the store says what is wrong with its folder; the log does not matter then
            return

    def _add(self, handler: logging.Handler) -> None:
        handler.setFormatter(_AsJson())
        self._logger.addHandler(handler)


class _AsJson(logging.Formatter):
    """`{"at": …, "level": …, "event": …, …}` on one line."""

    def format(self, record: logging.LogRecord) -> str:
        at = self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03d}"
        line: dict[str, object] = {"at": at, "level": record.levelname.lower(), "event": record.msg}
        line |= vars(record)["facts"]
        return json.dumps(line, ensure_ascii=False)


class _File(RotatingFileHandler):
    """A rotated file that fails silently: a full disk must not stop a turn."""

    def __init__(self, path: Path, bytes_max: int, kept: int) -> None:
        super().__init__(path, maxBytes=bytes_max, backupCount=kept, encoding="utf-8")
        path.chmod(0o600)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- the name that logging calls
        """Drop the line."""


class _Lines(logging.StreamHandler[TextIO]):
    """The same lines to a terminal."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- the name that logging calls
        """Drop the line."""


def _without_text(name: str, value: Fact) -> Fact:
    """Keys and codes stay; of a cause in words only its code does."""
    if name in {"end_reason", "cause", "reason"} and isinstance(value, str):
        found = _CODE.match(value)
        return found[0] if found else "in words" if value else ""
    return value


def to_terminal() -> TextIO:
    """Where `--verbose` writes."""
    return sys.stderr
