"""What a command line is to rules and to the person who reads them."""

import re
from collections.abc import Mapping
from typing import Final

from postroom.llm.port import Json
from postroom.rules.text import scrub
from postroom.tools.base import Caller

COMPOUND: Final = "compound: "
_CONTROLS: Final = re.compile(r"[;|&$`<>(){}\n\r]")
"""With one of these a line may run a second command, or write and read where its words do not say."""


def command_resource(caller: Caller, arguments: Mapping[str, Json]) -> str:
    """The command, so that `git *` covers what begins with `git`; marked `compound: ` where it may be more
    than one command, so that `git *` never covers `git log; rm -r .`.

    What a command itself can start (`git -c`, `find -exec`, `env`) is not seen.
    """
    del caller
    command = arguments.get("command")
    if not isinstance(command, str):
        return ""
    line = scrub(command).strip()
    return f"{COMPOUND}{line}" if _CONTROLS.search(line) else line
