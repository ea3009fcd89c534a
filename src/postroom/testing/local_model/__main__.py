"""The local model as a program: prints its base URL once it answers, serves until it is stopped."""

import argparse
import os
import sys
import threading

from postroom.errors import MissingExtra
from postroom.testing.local_model.mind import LlamaMind
from postroom.testing.local_model.server import LocalServer
from postroom.testing.local_model.weights import find_weights

_DOES = "Serve a small model on the wire of OpenAI. Prints its base URL as soon as it answers."


def main() -> int:
    """Serve the model. Exit codes: 0 stopped, 1 the port is taken, 3 it is not installed."""
    parser = argparse.ArgumentParser(prog="python -m postroom.testing.local_model", description=_DOES)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="stop when whoever started it is gone"
    )
    options = parser.parse_args()
    try:
        mind = LlamaMind(find_weights())
    except MissingExtra as fault:
        print(fault, file=sys.stderr)  # noqa: T201 - a program speaks
        return 3
    try:
        serving = LocalServer(mind, port=options.port)
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or "there is no such port"
        print(f"port {options.port}: {cause} (0 picks a free port)", file=sys.stderr)  # noqa: T201 - a program speaks
        return 1
    with serving as server:
        print(server.url, flush=True)  # noqa: T201 - whoever started it reads this line
        if options.until_stdin_closes:
            threading.Thread(target=_end_with_stdin, daemon=True).start()
        try:
            server.serve_forever(poll_interval=0.05)
        except KeyboardInterrupt:
            return 0
    return 0


def _end_with_stdin() -> None:
    """At once: a model in the middle of an answer would finish it first, for nobody."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
