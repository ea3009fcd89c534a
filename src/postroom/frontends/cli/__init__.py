"""The command line. Everything slow is imported by the command that needs it, not here."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import cast

from postroom.daemon.wire import failure_of
from postroom.errors import Fault
from postroom.frontends.cli.commands import find_command
from postroom.frontends.cli.exits import DONE, INTERRUPTED, Interrupted, exit_code_of
from postroom.frontends.cli.output import Output, is_gone, let_go, prepare
from postroom.frontends.cli.parser import Asked, Usage, parse

Run = Callable[[Asked, Output], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; prints one line for whatever goes wrong."""
    prepare()
    given = list(sys.argv[1:] if arguments is None else arguments)
    out = Output(as_json="--json" in given, verbose="--verbose" in given)
    try:
        asked = parse(given)
        if asked is None:
            return DONE
        out = Output(as_json=asked.flag("json"), verbose=asked.flag("verbose"))
        return _load(asked)(asked, out)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # outermost frame: the person reads one line
        return _fail(error, out)
    finally:
        let_go()


def _load(asked: Asked) -> Run:
    module, _, function = find_command(asked.command).run.partition(":")
    return cast("Run", getattr(import_module(f"postroom.frontends.cli.{module}"), function))


def _fail(error: Exception, out: Output) -> int:
    if is_gone(error):
        return DONE
    failure = failure_of(error)
    with suppress(OSError):
        out.fail(failure)
    if out.verbose and not isinstance(error, Fault):
        import traceback  # noqa: PLC0415 - only a crash needs it

        traceback.print_exception(error)
    if isinstance(error, Usage | Interrupted):
        return error.exit_code
    return exit_code_of(failure.code)
