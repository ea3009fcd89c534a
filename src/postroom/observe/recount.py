"""What became of every message, counted again from the log alone.

No table is read and no counter believed: each delivery's events are followed from `accepted` on, so
a message that was lost or read twice shows, whoever made the mistake.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from postroom.domain.event import EventKind
from postroom.observe.event_view import EventView

_ENDS = frozenset((EventKind.MESSAGE_CONSUMED, EventKind.MESSAGE_DISCARDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """Totals of a part of the log. In a quiet store `lost` and `doubled` are 0."""

    messages: int
    """Deliveries that were accepted."""
    read: int
    """Those that were consumed."""
    discarded: int
    """Those that ended unread, with a reason."""
    turns: int
    """Turns that started."""
    refused: int
    """Sends that were refused; they left no message."""
    lost: int
    """Accepted, and neither read nor discarded."""
    doubled: int
    """Read twice, or claimed again without a release."""

    @property
    def ok(self) -> bool:
        """Nothing lost, nothing doubled."""
        return not self.lost and not self.doubled


def recount(events: Iterable[EventView]) -> Recount:
    """Follow every delivery through the events of a quiet store."""
    open_: set[object] = set()
    claimed: set[object] = set()
    ended: set[object] = set()
    doubled: set[object] = set()
    counts: dict[str, int] = {}
    for event in events:
        counts[event.kind] = counts.get(event.kind, 0) + 1
        delivery = event.facts.get("delivery")
        if event.kind == EventKind.MESSAGE_ACCEPTED:
            open_.add(delivery)
        elif event.kind == EventKind.MESSAGE_CLAIMED:
            if delivery in claimed or delivery in ended:
                doubled.add(delivery)
            claimed.add(delivery)
        elif event.kind == EventKind.MESSAGE_RELEASED:
            claimed.discard(delivery)
        elif event.kind in _ENDS:
            if delivery in ended:
                doubled.add(delivery)
            open_.discard(delivery)
            claimed.discard(delivery)
            ended.add(delivery)
    return Recount(
        messages=counts.get(EventKind.MESSAGE_ACCEPTED, 0), read=counts.get(EventKind.MESSAGE_CONSUMED, 0),
        discarded=counts.get(EventKind.MESSAGE_DISCARDED, 0), turns=counts.get(EventKind.TURN_STARTED, 0),
        refused=counts.get(EventKind.MESSAGE_REFUSED, 0), lost=len(open_), doubled=len(doubled),
    )  # fmt: skip
