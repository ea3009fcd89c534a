"""What a command says: its head and tail in memory, all of it in a file, neither without bounds."""

import codecs
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, kw_only=True)
class Output:
    """Output of one command as it comes in. Belongs to the one thread that listens to the command."""

    chars_max: int
    """Characters that the model reads: the first and the last half of them."""
    bytes_max: int
    """Bytes that the file may have."""
    path: Path | None = None
    """The file with the output; none when it could not be made."""
    _fd: int | None = None
    _kept_bytes: int = 0
    _dropped_bytes: int = 0
    _chars: int = 0
    _head: str = ""
    _tail: str = ""
    _trouble: str = ""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def open(self, folder: Path, name: str) -> None:
        """Make the file, for the person alone. A disk that cannot be written costs the file only."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._fd, path = tempfile.mkstemp(prefix=f"{name}-", suffix=".txt", dir=folder)
        except OSError as error:
            self._trouble = error.strerror or str(error)
        else:
            self.path = Path(path)

    def take(self, data: bytes) -> None:
        """More output, as the command wrote it."""
        self._keep(data)
        self._show(self._decoder.decode(data))

    def close(self, *, keep: bool) -> None:
        """No more is coming. The file stays if `keep`, or if the model does not see everything."""
        self._show(self._decoder.decode(b"", final=True))
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        if self.path is not None and not keep and self._chars <= self.chars_max:
            with suppress(OSError):
                self.path.unlink()
            self.path = None

    def text(self) -> str:
        """What the model reads; says how much is missing and where it is."""
        if self._chars <= self.chars_max:
            return self._head + self._tail
        missing = self._chars - len(self._head) - len(self._tail)
        return f"{self._head}\n[... {missing} characters left out; {self._where()} ...]\n{self._tail}"

    def _where(self) -> str:
        if self.path is None:
            return f"they could not be kept: {self._trouble}"
        if self._trouble:
            return f"only the first {self._kept_bytes} bytes are in {self.path}: {self._trouble}"
        if self._dropped_bytes:
            return f"the first {self._kept_bytes} bytes are in {self.path}, {self._dropped_bytes} are lost"
        return f"the whole output is in {self.path}"

    def _keep(self, data: bytes) -> None:
        if self._fd is None or self._trouble:
            return
        kept = data[: self.bytes_max - self._kept_bytes]
        self._dropped_bytes += len(data) - len(kept)
        try:
            while kept:
                count = os.write(self._fd, kept)
                self._kept_bytes += count
                kept = kept[count:]
        except OSError as error:
            self._trouble = error.strerror or str(error)

    def _show(self, text: str) -> None:
        self._chars += len(text)
        half = self.chars_max // 2
        room = half - len(self._head)
        if room > 0:
            self._head, text = self._head + text[:room], text[room:]
        if text:
            self._tail = (self._tail + text)[-(self.chars_max - half) :]
