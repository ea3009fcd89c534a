"""A process group: signals to all of it, and whether anything in it still lives."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_DEAD: Final = frozenset((b"Z", b"X"))


def signal_group(group: int, number: int) -> bool:
    """Send a signal to every member; whether there was one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS says the latter when only dead ones are left
        return False
    return True


def is_group_alive(group: int) -> bool:
    """Whether a member of the group still runs. The dead ones that nobody has waited for do not count."""
    with suppress(ChildProcessError):  # orphans become our children where we are process 1
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    # A group of dead ones can be signalled for as long as their parent is slow to wait for them.
    return signal_group(group, 0) and any(_is_living(entry, group) for entry in _processes())


def _processes() -> list[str]:
    with suppress(OSError):
        if found := [path.name for path in _PROCESSES.iterdir() if path.name.isdecimal()]:
            return found
    return [""]


def _is_living(entry: str, group: int) -> bool:
    """By what Linux says of the process; where nobody says anything, what can be signalled lives."""
    if not entry:
        return True
    try:
        state, _parent, its_group = (_PROCESSES / entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):  # gone since
        return False
    return int(its_group) == group and state not in _DEAD
