"""What tools that look at other sessions may ask of the turn that runs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.service.changes import RenderChanges
from postroom.service.neighbours import PeerLine, Scope
from postroom.service.peer_card import PeerCard


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """A decoded wait for changes; without ids, of any session in reach."""

    session_ids: tuple[str, ...]
    timeout_s: float


class BesideDesk(Protocol):
    """The part of a desk for the sessions beside the turn's own."""

    async def list_neighbours(self, scope: Scope, limit: int) -> Sequence[PeerLine]:
        """The sessions in reach, the most recently active first, at most `limit`."""
        ...

    async def read_card(self, call: Call, session_id: str) -> PeerCard | Refusal:
        """What a session shows of itself. Whatever may not be seen is `not_found`."""
        ...

    async def watch(self, call: Call, request: WatchRequest, render: RenderChanges) -> Refusal | None:
        """Wait for a change; returns when one has come or the time is up, with the call's result durable.

        No slot is held meanwhile. Refuses `not_found`.
        """
        ...
