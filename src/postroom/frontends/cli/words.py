"""What the person typed."""

import sys


def counted(number: object, what: str) -> str:
    """`1 problem`, `2 problems`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def typed(given: str) -> str:
    """The text as it was typed; `-` reads it from standard input."""
    return sys.stdin.read() if given == "-" else given
