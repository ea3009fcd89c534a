"""A change that a command makes, and how its outcome is told."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from postroom.domain.plain import Json
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.words import typed

NOTHING_RUNS = "nothing is running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, and how its outcome is told."""

    command: str
    arguments: dict[str, Json]
    told: Callable[[dict[str, Json]], str]
    idle: str | Callable[[dict[str, Json]], str] = NOTHING_RUNS
    """What is said when no process runs the store, if anything; of some changes their outcome decides it."""
    repeatable: bool = False
    """Doing it twice is doing it once."""
    agent: str | None = None
    """Whose answer `--run` prints."""
    agent_key: str = ""
    """The key of the outcome that names it, where only the store knows."""

    def told_idle(self, outcome: dict[str, Json]) -> str:
        """What is said of the outcome when no process runs the store."""
        idle = self.idle if isinstance(self.idle, str) else self.idle(outcome)
        return f"{self.told(outcome)}; {idle}" if idle else self.told(outcome)

    def answers(self, outcome: dict[str, Json]) -> str | None:
        """Whose answer `--run` prints, once the change is made."""
        return str(outcome[self.agent_key]) if self.agent_key else self.agent


def message_arguments(asked: Asked) -> dict[str, Json]:
    """What is written to whom, as the door takes it."""
    return {
        "to": asked.text("to"), "body": typed(asked.text("body")), "mode": asked.text("mode"),
        # Of our own if the caller has none: a door that closes before it answers may have accepted.
        "client_id": asked.text_or_none("client_id") or f"send-{os.urandom(12).hex()}",
    }  # fmt: skip
