"""The emulator as a program: prints its base URL, serves until it is stopped."""

import argparse
import sys
import threading
from pathlib import Path

from postroom.errors import ConfigFault
from postroom.testing.provider_emulator.plan import load_plan
from postroom.testing.provider_emulator.server import EmulatorServer

_DOES = (
    "Answer like OpenAI, Anthropic and Google from a plan, and refuse what they refuse. Prints its base URL."
)


def main() -> int:
    """Serve a plan. Exit codes: 0 stopped, 1 the port is taken, 3 the plan is wrong."""
    parser = argparse.ArgumentParser(prog="python -m postroom.testing.provider_emulator", description=_DOES)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port")
    parser.add_argument("--script", type=Path, required=True, help="the plan, a JSON file")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="stop when whoever started it is gone"
    )
    options = parser.parse_args()
    try:
        plan = load_plan(options.script.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ConfigFault) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        print(f"{options.script}: {cause}", file=sys.stderr)  # noqa: T201 - a program speaks
        return 3
    try:
        serving = EmulatorServer(plan, port=options.port)
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or "there is no such port"
        print(f"port {options.port}: {cause} (0 picks a free port)", file=sys.stderr)  # noqa: T201 - a program speaks
        return 1
    with serving as server:
        print(server.url, flush=True)  # noqa: T201 - whoever started it reads this line
        if options.until_stdin_closes:
            threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
        try:
            server.serve_forever(poll_interval=0.05)
        except KeyboardInterrupt:
            return 0
    return 0


def _stop_with_stdin(server: EmulatorServer) -> None:
    sys.stdin.buffer.read()
    server.closing.set()
    server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
