"""What a link needs of the way to a server, whichever way it is."""

from typing import Final, Protocol

from mcp.client import Transport

MESSAGE_BYTES_MAX: Final = 16 * 1024 * 1024
"""One message of a server: room for pictures of 5 MiB in base64, and read in a fraction of a second."""


class Wire(Protocol):
    """One way to one server, used once."""

    @property
    def epitaph(self) -> str:
        """What is known of why the server went away, as the end of a sentence; empty if nothing."""
        ...

    def transport(self) -> Transport:
        """The streams, for the SDK; leaving them ends the server, within seconds."""
        ...

    def kill(self) -> None:
        """End at once whatever is still there."""
        ...
