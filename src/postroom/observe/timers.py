"""Texts that wait for their time, as the person sees them."""

from dataclasses import dataclass

from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerSet:
    """What a text for later is taken back by, and when it is said, in microseconds of wall time."""

    timer_id: str
    due_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerShown:
    """A text that waits for its time."""

    timer_id: str
    due_us: int
    to: str
    """What names the agent."""
    session_id: str
    mode: str
    body_bytes: int
    """How long it is; the text itself is not shown before it is said."""


def timer_list(tx: Tx, limit: int) -> list[TimerShown]:
    """The texts that wait for their time, next first."""
    return [
        TimerShown(
            timer_id=timer.timer_id, due_us=timer.due_us, to=timer.to, session_id=timer.session_id,
            mode=timer.mode, body_bytes=len(timer.body.encode()),
        )
        for timer in tx.set_timers(limit)
    ]  # fmt: skip
