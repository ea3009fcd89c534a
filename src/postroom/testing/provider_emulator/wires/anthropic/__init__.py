"""The Anthropic messages wire."""

from postroom.testing.provider_emulator.wires.anthropic.answer import pieces, whole
from postroom.testing.provider_emulator.wires.anthropic.body import read_body
from postroom.testing.provider_emulator.wires.anthropic.words import error, stream_error
from postroom.testing.provider_emulator.wires.base import Dialect

ANTHROPIC = Dialect(
    name="anthropic", call_prefix="toolu_", may_omit_ids=False,
    keepalive=b'event: ping\ndata: {"type": "ping"}\n\n',
    read=read_body, whole=whole, pieces=pieces, error=error, stream_error=stream_error,
)  # fmt: skip
"""`POST /v1/messages`."""
