"""What travels through the control door, and where the door is.

One JSON object a line, from either side. A request is `{"id", "command", "arguments"}`; each answer
names its `id` and is `{"ok": true, "result"}` or `{"ok": false, "error": {"code", "message",
"remedy"}}`. An answer with `"more": true` is followed by another. Imports nothing slow: `postroom ps`
starts here.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, cast

from postroom.domain.plain import Json
from postroom.errors import Fault, Refused

SOCKET_NAME: Final = "door.sock"
POINTER_NAME: Final = "door"
"""Names the socket's path when it cannot lie in the store's folder."""
LINE_BYTES_MAX: Final = 1024 * 1024
PATH_BYTES_MAX: Final = 100
"""A Unix socket's address holds 104 bytes on some systems, its last zero among them."""
ANSWER_S: Final = 15.0
"""How long an answer may take; a write waits at most 10 s for a foreign lock."""
REQUEST_KEYS: Final = frozenset(("id", "command", "arguments"))


class BadLine(Fault):
    """A line through the door was not a JSON object in UTF-8. Send one JSON object a line."""

    code = "bad_json"


class BadRequest(Fault):
    """A line was JSON but no request. Send exactly id, command and arguments."""

    code = "bad_request"


class LineTooLong(Fault):
    """A line was longer than 1 MiB; none of it was read. Send less at once."""

    code = "line_too_long"


class UnknownCommand(Fault):
    """The door has no such command."""

    code = "unknown_command"


class InvalidArguments(Fault):
    """An argument is unknown, missing or of the wrong type. Nothing was done."""

    code = "invalid_arguments"


class DoorClosed(Fault):
    """The process that ran the store ended before it answered. Look with `postroom ps`."""

    code = "door_closed"
    retryable = True


class DoorSilent(Fault):
    """The process that runs the store does not answer: it is frozen or very busy."""

    code = "door_silent"
    retryable = True


class DoorFull(Fault):
    """As many are connected as the process lets in. Nothing was done; try again when some have left."""

    code = "door_full"
    retryable = True


class Failure(NamedTuple):
    """What went wrong, as it is shown and sent: a stable code, the cause, and what would be right.

    A named tuple, because data classes take a tenth of a command's start to load.
    """

    code: str
    message: str
    remedy: str = ""

    def describe(self) -> str:
        """One line: code, cause and remedy."""
        tail = f" ({self.remedy})" if self.remedy else ""
        return " ".join(f"{self.code}: {self.message}{tail}".split())

    def as_json(self) -> dict[str, Json]:
        """The error of an answer."""
        return cast("dict[str, Json]", self._asdict())


class Told(Fault):
    """The other side of the door said what went wrong; `failure` has its code."""

    code = "told"

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, remedy=failure.remedy)
        self.failure = failure


def failure_of(error: BaseException) -> Failure:
    """What a fault, a refusal or a crash looks like from outside."""
    match error:
        case Told():
            return error.failure
        case Refused():
            from postroom.daemon.words import refusal_words  # noqa: PLC0415 - only a refusal needs them

            message, remedy = refusal_words(error.refusal_code, error.facts)
            return Failure(code=error.refusal_code, message=message, remedy=remedy)
        case Fault():
            return Failure(code=error.code, message=error.message, remedy=error.remedy)
        case _:
            return Failure(code="crashed", message=f"{type(error).__name__}: {error}", remedy="report this")


def encode(value: dict[str, Json]) -> bytes:
    """One line. Text that UTF-8 cannot hold travels as escapes, for the other side to refuse."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> dict[str, Json]:
    """The object of a line. Raises `BadLine`."""
    try:
        value = cast("Json", json.loads(line))
    except (ValueError, RecursionError) as error:
        raise BadLine(f"the line is not JSON: {error}", remedy="send one JSON object a line") from error
    if not isinstance(value, dict):
        raise BadLine("the line is JSON but not an object", remedy="send one JSON object a line")
    return value


def question(number: int, command: str, arguments: Mapping[str, Json]) -> bytes:
    """The line of a request; arguments that are none are left out."""
    given: Json = {name: value for name, value in arguments.items() if value is not None}
    return encode({"id": number, "command": command, "arguments": given})


def answered(line: bytes) -> Json:
    """The result in the line of an answer. Raises `Told`, and `DoorClosed` for a line that was cut."""
    if not line.endswith(b"\n"):
        raise closed()
    answer = decode(line)
    if answer.get("ok") is True:
        return answer.get("result")
    error = answer.get("error")
    strange = Failure(code="bad_answer", message=f"the door answered {json.dumps(error)[:200]}")
    raise Told(failure_in(error) or strange)


def failure_in(error: Json) -> Failure | None:
    """What went wrong, as it was sent; nothing where that is none."""
    if not isinstance(error, dict):
        return None
    said = {key: str(error.get(key, "")) for key in ("code", "message", "remedy")}
    return Failure(**said)


def closed() -> DoorClosed:
    """The fault of a door that nobody answers behind any more."""
    return DoorClosed(
        "the process that ran the store ended before it answered", remedy="look with `postroom ps`"
    )


def silent() -> DoorSilent:
    """The fault of a process that lives and does not answer."""
    return DoorSilent("the process that runs the store does not answer", remedy="see whether it is frozen")


def socket_path(folder: Path) -> Path:
    """Where the door of a store is, or would be."""
    here = folder / SOCKET_NAME
    if fits(here):
        return here
    try:
        return Path((folder / POINTER_NAME).read_text(encoding="utf-8").strip() or here)
    except (OSError, UnicodeDecodeError):
        return here


def fits(path: Path) -> bool:
    """Whether a Unix socket can have this path."""
    return len(bytes(path)) <= PATH_BYTES_MAX
