"""The Anthropic messages wire."""

from collections.abc import Iterator

from postroom.testing.provider_emulator.answers import Answer, Piece
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.wires.anthropic import answer as spoken
from postroom.testing.provider_emulator.wires.anthropic.body import read_body
from postroom.testing.provider_emulator.wires.anthropic.words import error, stream_error

MESSAGES = "/v1/messages"


class AnthropicWire:
    """`POST /v1/messages`."""

    name = "anthropic"
    call_prefix = "toolu_"
    may_omit_ids = False
    keepalive = b'event: ping\ndata: {"type": "ping"}\n\n'

    def read(self, incoming: Incoming, plan: Plan) -> Asked:
        """The request. Raises `Breach` at the first thing the vendor refuses."""
        return read_body(incoming, plan)

    def whole(self, answer: Answer) -> bytes:
        """The body of an answer that is not streamed."""
        return spoken.whole(answer)

    def pieces(self, answer: Answer) -> Iterator[Piece]:
        """The stream of an answer, from its start to its end mark."""
        return spoken.pieces(answer)

    def error(self, breach: Breach) -> ErrorReply:
        """The vendor's error."""
        return error(breach)

    def stream_error(self, breach: Breach) -> bytes:
        """The error as an event of a stream."""
        return stream_error(breach)
