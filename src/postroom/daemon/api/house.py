"""What the routes of the API reach: the room, and what the daemon keeps around it."""

from dataclasses import dataclass, field

from postroom.app import Postroom
from postroom.daemon.life import Life
from postroom.profiles.daemon_settings import DaemonSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The open room that one daemon serves."""

    room: Postroom
    life: Life = field(default_factory=Life)
    """How long it has been up, and how it ends: add a farewell for what is kept open for long."""
    settings: DaemonSettings = field(default_factory=DaemonSettings)
    url: str = ""
    """Where it is reached, as it is printed: scheme, host and port, no slash behind."""
