"""What a command is, as data, and the arguments that many of them take."""

from typing import Final, Literal, NamedTuple

Kind = Literal["text", "texts", "words", "flag", "integer"]


class Argument(NamedTuple):
    """One argument: `name` is positional, `--name` is an option.

    A named tuple as the command below, because every start makes fifty of them.
    """

    name: str
    meaning: str
    kind: Kind = "text"
    shown: str = ""
    default: str | int | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    """A positional argument that may be left out."""


class Command(NamedTuple):
    """One command. `run` is `module:function` in this package, imported when it is asked for."""

    name: str
    does: str
    run: str
    arguments: tuple[Argument, ...] = ()
    more: str = ""


AGENT: Final = "an agent: its session id or handle, SESSION:BRANCH, its name, or the id of its task"
SESSION: Final = Argument(name="session", shown="AGENT", meaning=AGENT)
RUN: Final = Argument(
    name="--run", kind="flag", meaning="when no process runs the store: run it until nothing is left to do"
)
TOOLS: Final = Argument(
    name="--tools", kind="texts", shown="MODULE:ATTR", meaning="Python functions as tools; may be repeated"
)
