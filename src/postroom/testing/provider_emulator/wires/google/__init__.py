"""The Gemini wire."""

from collections.abc import Iterator

from postroom.testing.provider_emulator.answers import Answer, Piece
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.wires.google import answer as spoken
from postroom.testing.provider_emulator.wires.google.body import read_body
from postroom.testing.provider_emulator.wires.google.words import error, stream_error

MODELS = "/v1beta/models"


class GoogleWire:
    """`POST /v1beta/models/NAME:generateContent` and `:streamGenerateContent?alt=sse`."""

    name = "google"
    call_prefix = "fc_"
    may_omit_ids = True
    keepalive = b": keepalive\n\n"

    def read(self, incoming: Incoming, plan: Plan) -> Asked:
        """The request. Raises `Breach` at the first thing the vendor refuses."""
        return read_body(incoming, plan)

    def whole(self, answer: Answer) -> bytes:
        """The body of an answer that is not streamed."""
        return spoken.whole(answer)

    def pieces(self, answer: Answer) -> Iterator[Piece]:
        """The stream of an answer, to the chunk with its finish reason."""
        return spoken.pieces(answer)

    def error(self, breach: Breach) -> ErrorReply:
        """The vendor's error."""
        return error(breach)

    def stream_error(self, breach: Breach) -> bytes:
        """The error as a chunk of a stream."""
        return stream_error(breach)
