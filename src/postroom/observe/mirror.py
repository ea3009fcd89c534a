"""The mirror: every event of the bus as one line of JSON, for programs that read files.

`events/SESSION.jsonl` under the store's folder when an event names a session, else `logs/events.jsonl`; a
file that is full becomes `.1`. It is written in a thread of its own, behind the turns. A kill or a full disk
may cost lines of it and nothing else: the record is the store.
"""

import asyncio
import json
import queue
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from postroom.domain.bus import BusEvent
from postroom.observe.mirror_file import append, mend

SESSIONS: Final = "events"
"""The folder of the files of sessions."""
ELSE: Final = Path("logs") / "events.jsonl"
"""The file for what names no session."""
WAITING_MAX: Final = 10_000
"""Events that wait to be written; what comes beyond them is left out and counted."""
_SESSION_ID: Final = re.compile(r"[0-9a-f-]{36}")


class Mirror:
    """The files of one process. `put` on any thread; `close` writes what still waits."""

    def __init__(self, folder: Path, file_bytes_max: int, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._bytes_max = file_bytes_max
        self._warn = warn
        self._waiting: queue.SimpleQueue[BusEvent | None] = queue.SimpleQueue()
        self._missed = 0
        self._mended: set[Path] = set()
        self._thread = threading.Thread(target=self._work, name="postroom-mirror", daemon=True)
        self._thread.start()

    def put(self, event: BusEvent) -> None:
        """One more line, soon. Never waits."""
        if self._waiting.qsize() < WAITING_MAX:
            self._waiting.put(event)
        else:
            self._missed += 1

    async def close(self) -> None:
        """Write what waits, then no more. Idempotent."""
        self._waiting.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _work(self) -> None:
        while (event := self._waiting.get()) is not None:
            events = [event, *self._at_hand()]
            try:
                self._write(event for event in events if event is not None)
            except OSError as error:  # a full disk costs the mirror its lines, and nobody else anything
                self._warn(f"the mirror of events cannot be written: {error.strerror or error}")
            if events[-1] is None:
                return

    def _at_hand(self) -> Iterator[BusEvent | None]:
        """What waits already; `None`, the end, is the last of it."""
        try:
            while (event := self._waiting.get_nowait()) is not None:
                yield event
            yield None
        except queue.Empty:
            return

    def _write(self, events: Iterable[BusEvent]) -> None:
        lines: dict[Path, list[bytes]] = {}
        for event in events:
            if event.type == "session.end":
                self._forget(str(event.payload.get("session_id") or ""), lines)
            lines.setdefault(self._file(event), []).append(_line(event))
        if self._missed:
            missed, self._missed = self._missed, 0
            self._warn(f"the mirror of events has left out {missed} events: they came too fast")
        for file, chunk in lines.items():
            self._append(file, chunk)

    def _file(self, event: BusEvent) -> Path:
        session_id = str(event.metadata.get("session_id") or "")
        if event.type != "session.end" and _SESSION_ID.fullmatch(session_id):
            return self._folder / SESSIONS / f"{session_id}.jsonl"
        return self._folder / ELSE

    def _forget(self, session_id: str, lines: dict[Path, list[bytes]]) -> None:
        """What a person has deleted is not kept here either."""
        if _SESSION_ID.fullmatch(session_id):
            lines.pop(self._folder / SESSIONS / f"{session_id}.jsonl", None)
            remove_lines(self._folder, session_id)

    def _append(self, file: Path, lines: list[bytes]) -> None:
        if file not in self._mended:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            if (mended := mend(file)) is not None:
                self._warn(f"{file.name}: {mended}")
            self._mended.add(file)
        append(file, lines, self._bytes_max)


def remove_lines(folder: Path, session_id: str) -> None:
    """Remove the files of a session below the folder of a store. Twice is fine."""
    file = folder / SESSIONS / f"{session_id}.jsonl"
    for one in (file, file.with_name(f"{file.name}.1")):
        one.unlink(missing_ok=True)


def _line(event: BusEvent) -> bytes:
    """ASCII, so that no reader takes a character of a text for the end of a line."""
    return json.dumps(event.record(), separators=(",", ":"), default=str).encode() + b"\n"
