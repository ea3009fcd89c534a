"""The seam between the desk and the wires: what a vendor's wire must be able to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from postroom.testing.provider_emulator.answers import Answer, Piece
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply
from postroom.testing.provider_emulator.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One vendor's wire: reads its requests strictly and speaks its answers and errors."""

    name: str
    """How the log calls the wire."""
    call_prefix: str
    """How the ids of its calls begin."""
    may_omit_ids: bool
    """Whether its calls may have no ids."""
    keepalive: bytes
    """What its streams send while there is nothing to say."""
    read: Callable[[Incoming, Plan], Asked]
    """The request. Raises `Breach` at the first thing the vendor refuses."""
    whole: Callable[[Answer], bytes]
    """The body of an answer that is not streamed."""
    pieces: Callable[[Answer], Iterator[Piece]]
    """The stream of an answer, from its start to its end mark."""
    error: Callable[[Breach], ErrorReply]
    """The error for a request that is refused or that the plan lets fail."""
    stream_error: Callable[[Breach], bytes]
    """The same error in the middle of a stream."""
