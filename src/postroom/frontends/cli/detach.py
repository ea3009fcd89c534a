"""A daemon in the background: a process of its own, out of reach of this terminal, begun and waited for."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final, cast

from postroom.daemon.presence import OUTPUT, Presence, found
from postroom.daemon.wire import Told, failure_in
from postroom.domain.plain import Json
from postroom.errors import Fault, unwritable
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.opening import new_link
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import looks
from postroom.frontends.cli.running import Plan, store_words

OUTPUT_BYTES_MAX: Final = 1024 * 1024
"""A longer file of before is begun anew."""
START_S: Final = 120.0
"""How long a daemon may take to answer: servers of tools may be slow to start."""


class StartFailed(Fault):
    """A daemon in the background ended before it answered, or does not answer. Its output says why."""

    code = "start_failed"


def detach(asked: Asked, out: Output, plan: Plan) -> int:
    """Begin the daemon and wait until it answers. What keeps it from that is told as if it were here."""
    file = plan.store / OUTPUT
    begun, behind = _begin(_words(asked, plan), file)
    daemon, page = _await(begun, file, behind, plan)
    if out.as_json:
        out.document({
            "pid": daemon.pid, "url": daemon.url, "login_url": page, "store": str(plan.store),
            "team": daemon.team or None, "output": str(file),
        })  # fmt: skip
        return DONE
    out.line(f"the page: {page}")
    out.line(f"the daemon runs in the background: pid {daemon.pid}, output in {file}")
    out.line(f"end it: {store_words(plan.store, 'down')}")
    return DONE


def _words(asked: Asked, plan: Plan) -> list[str]:
    words = [sys.executable, "-P", "-m", "postroom", "up", "--store", str(plan.store)]
    if plan.team is not None:
        words += ["--team", str(Path(str(plan.team)).absolute())]
    for option in ("host", "port"):
        value = asked.text_or_none(option)
        words += [] if value is None else [f"--{option}", value]
    for source in asked.texts("tools"):
        words += ["--tools", source]
    return [*words, "--json"]  # so that a failure can be read whole


def _begin(words: list[str], file: Path) -> "tuple[subprocess.Popen[bytes], int]":
    """The process, and how long its output was before. Raises `StoreReadOnly` or `StoreFull`."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_long = file.exists() and file.stat().st_size > OUTPUT_BYTES_MAX
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if is_long else 0)
        output = os.open(file, flags, 0o600)
    except OSError as error:
        raise unwritable(
            error, f"{file} cannot be written", remedy="choose another store with --store"
        ) from error
    try:
        behind = os.fstat(output).st_size
        begun = subprocess.Popen(  # noqa: S603 -- this program itself
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    finally:
        os.close(output)
    return begun, behind


def _await(begun: "subprocess.Popen[bytes]", file: Path, behind: int, plan: Plan) -> tuple[Presence, str]:
    """The daemon once it answers, and a link to it. Raises what kept it from that, in its own words."""
    for _ in looks(START_S):
        daemon = found(plan.store)
        if daemon is not None and daemon.pid == begun.pid:
            return daemon, new_link(plan.store)
        if begun.poll() is not None:
            raise _last_words(file, behind)
    raise StartFailed(
        f"the daemon (pid {begun.pid}) does not answer after {START_S:.0f} s",
        remedy=f"see {file}; end it: {store_words(plan.store, 'down')}",
    )


def _last_words(file: Path, behind: int) -> Fault:
    """What a daemon said before it ended, as it would have said it here."""
    with file.open("rb") as output:
        output.seek(behind)
        last = (output.read().decode("utf-8", "replace").strip().splitlines() or [""])[-1]
    try:
        error = cast("Json", json.loads(last))
    except ValueError:
        error = None
    failure = failure_in(error.get("error")) if isinstance(error, dict) else None
    if failure is None:
        return StartFailed(f"the daemon ended before it answered: {last[:200]}", remedy=f"see {file}")
    return Told(failure)
