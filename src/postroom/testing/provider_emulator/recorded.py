"""One request in the emulator's log, as tests look at it."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from postroom.llm.port import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came in and how it ended. `raw` are the bytes of its body.

    `body` is None when the request was refused; `failure` then says why.
    """

    number: int
    wire: str
    path: str
    agent: str
    branch: str
    purpose: str
    status: int
    outcome: str
    failure: str
    raw: bytes
    body: Mapping[str, Json] | None


def recorded(entry: Mapping[str, Json]) -> Recorded:
    """The entry of the log that a control path shows."""
    body = entry["body"]
    return Recorded(
        number=int(str(entry["number"])),
        wire=str(entry["wire"]),
        path=str(entry["path"]),
        agent=str(entry["agent"]),
        branch=str(entry["branch"]),
        purpose=str(entry["purpose"]),
        status=int(str(entry["status"])),
        outcome=str(entry["outcome"]),
        failure=str(entry["failure"]),
        raw=base64.b64decode(str(entry["raw"])),
        body=body if isinstance(body, dict) else None,
    )
