"""What only a new conversation is given: who decides its asks, and whether somebody is there."""

import os
from typing import Final, NamedTuple

from postroom.domain.ask import ApprovalMode
from postroom.frontends.cli.parser import Asked, Usage


class Beginning(NamedTuple):
    """`mode`: none is what the team says. `attended`: its agents may ask questions and wait for answers."""

    mode: ApprovalMode | None
    attended: bool


PRESENT: Final = Beginning(mode=None, attended=True)
"""Nothing was said, and somebody is there."""


def beginning(asked: Asked) -> Beginning:
    """As the command line says; without a word there, somebody is there when the input is a terminal.

    So nothing waits for a person where there is none. Raises `Usage`.
    """
    mode, session = asked.text_or_none("mode"), asked.text_or_none("session")
    attended, unattended = asked.flag("attended"), asked.flag("unattended")
    if attended and unattended:
        raise Usage("--attended and --unattended do not go together", remedy="leave one out")
    if session is not None and (mode or attended or unattended):
        raise Usage(
            "--mode, --attended and --unattended are for a new conversation",
            remedy="change the mode with: postroom mode AGENT MODE",
        )
    return Beginning(
        mode=None if mode is None else ApprovalMode(mode),
        attended=attended or (not unattended and os.isatty(0)),
    )
