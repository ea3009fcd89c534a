"""Who decides the asks of a conversation, and whether somebody is there, as the command line says it."""

import os
from typing import Final, NamedTuple

from postroom.domain.ask import ApprovalMode
from postroom.frontends.cli.parser import Asked, Usage


class Beginning(NamedTuple):
    """How a conversation begins, or is gone on with."""

    mode: ApprovalMode | None
    """Of a new one; none is what the team says."""
    attended: bool
    """Somebody is there: questions may wait for an answer."""
    changes: bool = False
    """It was said outright, so it holds for a conversation that is gone on with too."""


PRESENT: Final = Beginning(mode=None, attended=True)
"""Nothing was said, and somebody is there."""


def beginning(asked: Asked) -> Beginning:
    """As the command line says; without a word there, somebody is there when the input is a terminal.

    Raises `Usage`.
    """
    mode = asked.text_or_none("mode")
    attended, unattended = asked.flag("attended"), asked.flag("unattended")
    if attended and unattended:
        raise Usage("--attended and --unattended do not go together", remedy="leave one out")
    if mode and asked.text_or_none("session") is not None:
        raise Usage("--mode is for a new conversation", remedy="change it with: postroom mode AGENT MODE")
    return Beginning(
        mode=None if mode is None else ApprovalMode(mode),
        attended=attended or (not unattended and is_somebody_there()),
        changes=attended or unattended,
    )


def is_somebody_there() -> bool:
    """Whether the input is a terminal."""
    return os.isatty(0)
