"""The newest frames of the log, so that most readers who come back need nothing of the store."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from postroom.observe.event_frames import Frame

FRAMES_MAX: Final = 10_000
BYTES_MAX: Final = 8 * 1024 * 1024


class Ring:
    """Every frame behind `floor`, up to `pos`."""

    def __init__(self, pos: int, *, frames_max: int = FRAMES_MAX, bytes_max: int = BYTES_MAX) -> None:
        self.floor = pos
        """Everything behind this position is here."""
        self.pos = pos
        """How far the log was read."""
        self._frames: deque[Frame] = deque()
        self._n_bytes = 0
        self._frames_max = frames_max
        self._bytes_max = bytes_max

    def put(self, frames: Iterable[Frame], pos: int) -> None:
        """What the log holds up to a position; the oldest give way."""
        for frame in frames:
            self._frames.append(frame)
            self._n_bytes += len(frame.body)
        self.pos = max(self.pos, pos)
        while len(self._frames) > self._frames_max or self._n_bytes > self._bytes_max:
            oldest = self._frames.popleft()
            self._n_bytes -= len(oldest.body)
            self.floor = oldest.pos

    def behind(self, pos: int, session_id: str) -> list[Frame]:
        """The frames behind a position that is not before `floor`; of one session, or of all."""
        found = list[Frame]()
        for frame in reversed(self._frames):
            if frame.pos <= pos:
                break
            if session_id in ("", frame.session_id):
                found.append(frame)
        found.reverse()
        return found
