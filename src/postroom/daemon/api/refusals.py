"""What an endpoint may refuse beside what all of them do: codes in its part of the document."""

from typing import Final

REFUSALS: Final = "x-refusals"
"""Where the document lists them, for each operation."""


def refuses(*codes: str) -> dict[str, object]:
    """For `openapi_extra` of a route: stable codes, the likeliest first."""
    return {REFUSALS: [str(code) for code in codes]}
