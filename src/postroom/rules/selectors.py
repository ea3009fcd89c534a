"""Whom a selector means on a bus (systems.md 2.3): an exact address, all runs of a label, or everyone.

Never a part of either. Who writes is not left out, and nobody is called `everyone` (`profiles.names`).
"""

from typing import Final

EVERYONE: Final = "everyone"
_FRAMEWORK = "subagent-"
"""What stands in front of the names of made agents in the seed; it is no part of a label."""
_RUN = "#"


def label_of(profile: str) -> str:
    """What the runs of a profile have in common: its name, without one `subagent-` in front (KK-2)."""
    return profile.removeprefix(_FRAMEWORK)


def address_of_run(label: str, ordinal: int) -> str:
    """The address of one run of a label; none without a label (KK-4)."""
    return f"{label}{_RUN}{ordinal}" if label else ""


def matches(selector: str, address: str) -> bool:
    """Whether a selector reaches the reader of this address; one without any hears only everyone (KK-16)."""
    if selector == EVERYONE:
        return True
    return bool(address) and selector in (address, address.partition(_RUN)[0])
