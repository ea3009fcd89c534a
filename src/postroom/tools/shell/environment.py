"""What a program that we start sees of our own environment: no key of a provider, unless it is named."""

import os
import shutil
from collections.abc import Mapping
from typing import Final

KEPT_VARIABLES: Final = frozenset(("PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL"))


def clean_environment(own: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """What a command sees of our environment: the few variables that it needs, `LC_*`, and those named."""
    wanted = KEPT_VARIABLES | set(more)
    seen = {name: value for name, value in own.items() if name in wanted or name.startswith("LC_")}
    return {"PATH": os.defpath} | seen


def shell_argv(command: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """A command line as a program to start: bash where the environment has it, else the system's shell."""
    return (shutil.which("bash", path=env["PATH"]) or "/bin/sh", "-c", "--", command)
