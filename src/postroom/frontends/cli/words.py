"""What the person typed."""

import sys


def typed(given: str) -> str:
    """The text as it was typed; `-` reads it from standard input."""
    return sys.stdin.read() if given == "-" else given
