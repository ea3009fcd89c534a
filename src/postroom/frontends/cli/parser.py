"""Reads a command line with the standard library's parser: the one thing that is quick enough to load.

The figures are in docs/why/0012-a-command-line-that-starts-quickly.md. What is wrong becomes a `Usage`
fault and one line, not a page.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Never, cast

from postroom.errors import Fault
from postroom.frontends.cli.commands import COMMANDS, EVERYWHERE, Argument, Command
from postroom.frontends.cli.exits import USAGE

INTEGER_MAX = 2**63 - 1
"""The largest number that a store can compare with."""
PROGRAM = "postroom"
COLUMNS = 80
"""How wide a screen is taken to be that is none."""
DESCRIPTION = "LLM agents that work together by sending each other durable mail."


class Usage(Fault):
    """The command line is wrong; nothing was done."""

    code = "usage"
    exit_code: ClassVar[int] = USAGE


class Asked:
    """A command line that was understood."""

    def __init__(self, command: str, values: Mapping[str, object]) -> None:
        self.command = command
        self._values = values

    def text(self, name: str) -> str:
        """An argument that is always there."""
        return str(self._values[name])

    def text_or_none(self, name: str) -> str | None:
        """An argument that may be left out."""
        found = self._values.get(name)
        return None if found is None else str(found)

    def texts(self, name: str) -> tuple[str, ...]:
        """An option that may be repeated."""
        return tuple(cast("list[str] | None", self._values[name]) or ())

    def number(self, name: str) -> int | None:
        """A whole number."""
        return cast("int | None", self._values[name])

    def flag(self, name: str) -> bool:
        """Whether a switch was given."""
        return bool(self._values.get(name))


def parse(arguments: Sequence[str]) -> Asked | None:
    """What was asked; nothing when help was, which is printed. Raises `Usage`."""
    parser = build_parser(_named(arguments))
    try:
        known, unknown = parser.parse_known_args(arguments)
    except SystemExit:  # the only way in which argparse ends after it has printed help
        return None
    values = vars(known)
    command = values.pop("command", None)
    if unknown:  # said here, for argparse lets the whole program complain of what a command does not know
        named = f"{PROGRAM} {command}" if command else PROGRAM
        raise Usage(f"unrecognized arguments: {' '.join(unknown)}", remedy=f"see `{named} --help`")
    if command is None:
        parser.print_help()
        return None
    return Asked(str(command), values)


def _named(arguments: Sequence[str]) -> Sequence[Command]:
    """The command that is named, if one is; else all of them, for help and for complaints."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--store":
            next(rest, None)
        elif not argument.startswith("-"):
            return [command for command in COMMANDS if command.name == argument] or COMMANDS
    return COMMANDS


def build_parser(known: Sequence[Command] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands. Building all of them takes as long as a look into a store."""
    parser = _Parser(prog=PROGRAM, description=DESCRIPTION, allow_abbrev=False, formatter_class=_Help)
    _add_everywhere(parser)
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", parser_class=_Parser)
    for command in known:
        one = commands.add_parser(
            command.name, help=command.does, description=described(command), allow_abbrev=False,
            formatter_class=_Help,
        )  # fmt: skip
        _add(one, command)
    return parser


def described(command: Command) -> str:
    """What a command does, in whole sentences."""
    return f"{command.does[0].upper()}{command.does[1:]}. {command.more}".strip()


def _add(parser: argparse.ArgumentParser, command: Command) -> None:
    for argument in command.arguments:
        _add_argument(parser, argument, argument.default)
    _add_everywhere(parser)


def _add_everywhere(parser: argparse.ArgumentParser) -> None:
    """Before or after the command's name: what is given in neither place is not set by the second."""
    for argument in EVERYWHERE:
        _add_argument(parser, argument, argparse.SUPPRESS)


def _add_argument(parser: argparse.ArgumentParser, argument: Argument, default: object) -> None:
    name, more = argument.name, dict(_KINDS[argument.kind])
    if name.startswith("--"):
        more["dest"] = name.removeprefix("--").replace("-", "_")
    elif argument.optional:
        more["nargs"] = "?"
    if argument.kind != "flag":
        more |= {"metavar": argument.shown, "choices": argument.choices or None}
    parser.add_argument(name, help=meaning(argument), default=default, **more)  # pyright: ignore[reportArgumentType]


def _whole_number(text: str) -> int:
    if not text.isdecimal() or int(text) > INTEGER_MAX:
        msg = f"{text!r} is no whole number from 0 to {INTEGER_MAX}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


_KINDS: Final[Mapping[str, Mapping[str, object]]] = {
    "text": {}, "texts": {"action": "append"}, "words": {"nargs": "+"}, "flag": {"action": "store_true"},
    "integer": {"type": _whole_number},
}  # fmt: skip


def meaning(argument: Argument) -> str:
    """What an argument means, with its choices and its default."""
    choices = f" ({' or '.join(argument.choices)})" if argument.choices else ""
    default = "" if argument.default in {None, 0} else f"; {argument.default} if not given"
    return f"{argument.meaning}{choices}{default}"


class _Help(argparse.HelpFormatter):
    """Options beside their meaning also when they are long."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_columns() - 2)


def _columns() -> int:
    """How wide the screen is. argparse asks for each argument, by way of all that packs archives."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size().columns or COLUMNS
    except OSError:
        return COLUMNS


class _Parser(argparse.ArgumentParser):
    """Complains by a fault, so that every error looks the same."""

    def error(self, message: str) -> Never:
        """One line and what would be right."""
        raise Usage(message, remedy=f"see `{self.prog} --help`")
