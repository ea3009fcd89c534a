"""One file of lines of JSON: appended whole, begun anew when it is full, mended after a crash.

A process that dies leaves at most half a line at the end; a file system may leave zeros behind it or lose a
line end. The next line must not be glued to that, or it would be lost as well (O-34).
"""

import json
import os
from pathlib import Path
from typing import Final

HEAD: Final = b'{"id":'
"""How every line begins. No text inside a line holds it: there each quotation mark has a backslash."""


def append(file: Path, lines: list[bytes], bytes_max: int) -> None:
    """Write the lines behind what is there; a file that would grow beyond the limit becomes `.1` first."""
    size_bytes = file.stat().st_size if file.exists() else 0
    kept: list[bytes] = []
    for line in lines:
        if size_bytes and size_bytes + len(line) > bytes_max:
            _write(file, kept)
            file.replace(file.with_name(f"{file.name}.1"))
            kept, size_bytes = [], 0
        kept.append(line)
        size_bytes += len(line)
    _write(file, kept)


def mend(file: Path) -> str | None:
    """Make every line of a file whole again; what was wrong, or `None`.

    Half a line at the end is dropped. A last line that is whole but for its end gets that.
    """
    data = file.read_bytes() if file.exists() else b""
    whole, torn = _parted(data.replace(b"\0", b"").replace(b"}" + HEAD, b"}\n" + HEAD))
    if whole == data:
        return None
    fresh = file.with_name(f"{file.name}.mended")
    fresh.write_bytes(whole)
    fresh.chmod(0o600)
    fresh.replace(file)
    return (
        f"{torn} bytes of a line that was never finished are dropped"
        if torn
        else "zeros and line ends are mended"
    )


def _parted(data: bytes) -> tuple[bytes, int]:
    """(whole lines, bytes of a torn one behind them)."""
    end = data.rfind(b"\n") + 1
    tail = data[end:]
    if not tail:
        return data, 0
    return (data + b"\n", 0) if _is_record(tail) else (data[:end], len(tail))


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _write(file: Path, lines: list[bytes]) -> None:
    if lines:
        with open(file, "ab", opener=_private) as stream:
            stream.write(b"".join(lines))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
