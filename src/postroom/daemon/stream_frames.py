"""The frames of a stream by their names, as types: what `docs/reference/events-schema.json` is made of.

A client passes over frames and fields that it does not know, and takes a missing field as its default.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from postroom.observe.asks import AskView
from postroom.observe.board import BoardRoot
from postroom.observe.event_view import EventView
from postroom.runtime.texts import TextPiece


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFrame:
    """The first frame: what is spoken here, and where the log stands."""

    protocol: int
    version: str
    pos: int
    tag: str = ""
    """What follows the numbers of this log behind a dot; empty where no backup was ever restored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFrame:
    """What was missed has been told; everything behind it happens now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a reader begins with who cannot come back to where it was."""

    roots: list[BoardRoot]
    before: int | None
    asks: list[AskView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetFrame:
    """Forget everything, and begin at `pos` with the snapshot."""

    reason: Literal["pruned", "future", "unusable", "restored"]
    pos: int
    snapshot: Snapshot
    tag: str = ""
    """As in `open`."""
    seq: int | None = None
    """The newest number of the session, in the stream of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByeFrame:
    """The last frame: why the server hangs up."""

    reason: Literal["slow", "shutdown", "revoked"]


FRAMES: Final[Mapping[str, type]] = {
    "open": OpenFrame,
    "log": EventView,
    "live": LiveFrame,
    "text": TextPiece,
    "reset": ResetFrame,
    "bye": ByeFrame,
}
"""The name of an event of a stream -> what its data is. Only `log` has an id, which is the cursor."""
