"""The OpenAI chat-completions wire, as OpenAI and the servers that copy it speak it."""

from postroom.testing.provider_emulator.wires.base import Dialect
from postroom.testing.provider_emulator.wires.openai.answer import pieces, whole
from postroom.testing.provider_emulator.wires.openai.body import read_body
from postroom.testing.provider_emulator.wires.openai.words import error, stream_error

OPENAI = Dialect(
    name="openai", call_prefix="call_", may_omit_ids=False, keepalive=b": keepalive\n\n",
    read=read_body, whole=whole, pieces=pieces, error=error, stream_error=stream_error,
)  # fmt: skip
"""`POST /v1/chat/completions`."""
