"""What the routes of the API reach: the room, and what the daemon keeps around it."""

from dataclasses import dataclass, field
from pathlib import Path

from postroom.app import Postroom
from postroom.daemon.api.access import Access
from postroom.daemon.life import Life
from postroom.daemon.metrics import Metrics
from postroom.daemon.stream import Streams
from postroom.profiles.daemon_settings import DaemonSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The open room that one daemon serves."""

    room: Postroom
    life: Life = field(default_factory=Life)
    """How long it has been up, and how it ends: add a farewell for what is kept open for long."""
    settings: DaemonSettings = field(default_factory=DaemonSettings)
    access: Access = field(default_factory=Access)
    """Who may call, and how often."""
    page: Path | None = None
    """The folder of the built page; without one a few words stand in its place."""
    url: str = ""
    """Where it is reached, as it is printed: scheme, host and port, no slash behind."""
    streams: Streams = field(init=False)
    """Everybody who follows events."""

    metrics: Metrics = field(init=False)
    """The figures of the room, for Prometheus."""

    def __post_init__(self) -> None:
        """Streams say goodbye when the daemon ends, and nobody counts any more."""
        object.__setattr__(self, "streams", Streams(self.room))
        object.__setattr__(self, "metrics", Metrics(self.room))
        self.life.at_end(self.streams.close)
        self.life.at_end(self.metrics.close)
