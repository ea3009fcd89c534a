"""The command line. Everything slow is imported by the command that needs it, not here."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from postroom.daemon.wire import failure_of
from postroom.errors import Fault
from postroom.frontends.cli.commands import find_command
from postroom.frontends.cli.exits import INTERRUPTED, Interrupted, exit_code_of
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage, parse

Run = Callable[[Asked, Output], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; prints one line for whatever goes wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    out = Output(as_json="--json" in given, verbose="--verbose" in given)
    try:
        asked = parse(given)
        if asked is None:
            return 0
        out = Output(as_json=asked.flag("json"), verbose=asked.flag("verbose"))
        return _load(asked)(asked, out)
    except BrokenPipeError:
        return _reader_left()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # outermost frame: the person reads one line
        return _fail(error, out)


def _load(asked: Asked) -> Run:
    module, _, function = find_command(asked.command).run.partition(":")
    return cast("Run", getattr(import_module(f"postroom.frontends.cli.{module}"), function))


def _fail(error: Exception, out: Output) -> int:
    failure = failure_of(error)
    out.fail(failure)
    if out.verbose and not isinstance(error, Fault):
        import traceback  # noqa: PLC0415 - only a crash needs it

        traceback.print_exception(error)
    if isinstance(error, Usage | Interrupted):
        return error.exit_code
    return exit_code_of(failure.code)


def _reader_left() -> int:
    """Whoever read our output has seen enough; the interpreter must not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
