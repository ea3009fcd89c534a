"""The OpenAI chat-completions wire, as OpenAI and the servers that copy it speak it."""

from collections.abc import Iterator

from postroom.testing.provider_emulator.answers import Answer, Piece
from postroom.testing.provider_emulator.asked import Asked, Incoming
from postroom.testing.provider_emulator.breach import Breach, ErrorReply
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.wires.openai import answer as spoken
from postroom.testing.provider_emulator.wires.openai.body import read_body
from postroom.testing.provider_emulator.wires.openai.words import error, stream_error

COMPLETIONS = "/v1/chat/completions"


class OpenAIWire:
    """`POST /v1/chat/completions`."""

    name = "openai"
    call_prefix = "call_"
    may_omit_ids = False
    keepalive = b": keepalive\n\n"

    def read(self, incoming: Incoming, plan: Plan) -> Asked:
        """The request. Raises `Breach` at the first thing a strict vendor refuses."""
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
        """The error in the middle of a stream."""
        return stream_error(breach)
