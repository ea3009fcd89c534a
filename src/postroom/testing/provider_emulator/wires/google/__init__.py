"""The Gemini wire."""

from postroom.testing.provider_emulator.wires.base import Dialect
from postroom.testing.provider_emulator.wires.google.answer import pieces, whole
from postroom.testing.provider_emulator.wires.google.body import read_body
from postroom.testing.provider_emulator.wires.google.words import error, stream_error

GOOGLE = Dialect(
    name="google", call_prefix="fc_", may_omit_ids=True, keepalive=b": keepalive\n\n",
    read=read_body, whole=whole, pieces=pieces, error=error, stream_error=stream_error,
)  # fmt: skip
"""`POST /v1beta/models/NAME:generateContent` and `:streamGenerateContent?alt=sse`."""
