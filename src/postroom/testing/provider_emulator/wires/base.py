"""The seam between the desk and the wires: what a vendor's wire must be able to do."""

from collections.abc import Iterator
from typing import Protocol

from postroom.testing.provider_emulator.answers import Answer, Piece
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply
from postroom.testing.provider_emulator.plan import Plan


class Dialect(Protocol):
    """One vendor's wire: reads its requests strictly and speaks its answers and errors."""

    @property
    def name(self) -> str:
        """How the log calls the wire."""
        ...

    @property
    def call_prefix(self) -> str:
        """How the ids of its calls begin."""
        ...

    @property
    def may_omit_ids(self) -> bool:
        """Whether its calls may have no ids."""
        ...

    @property
    def keepalive(self) -> bytes:
        """What its streams send while there is nothing to say."""
        ...

    def read(self, incoming: Incoming, plan: Plan) -> Asked:
        """The request. Raises `Breach` at the first thing the vendor refuses."""
        ...

    def whole(self, answer: Answer) -> bytes:
        """The body of an answer that is not streamed."""
        ...

    def pieces(self, answer: Answer) -> Iterator[Piece]:
        """The stream of an answer, from its start to its end mark."""
        ...

    def error(self, breach: Breach) -> ErrorReply:
        """The error for a request that is refused or that the plan lets fail."""
        ...

    def stream_error(self, breach: Breach) -> bytes:
        """The same error in the middle of a stream."""
        ...
