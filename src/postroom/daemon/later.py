"""Taking back what was to be said later, in words of its own: those for agents would mislead."""

from postroom.app import Postroom
from postroom.domain.receipt import Code
from postroom.errors import NotFound, Refused
from postroom.rules.naming import SHOWN_CHARS


async def cancel_timer(room: Postroom, timer_id: str) -> None:
    """Take a timed text back. Raises `NotFound` for one that is unknown, was said, or was taken back."""
    try:
        await room.cancel_timer(timer_id)
    except Refused as refused:
        is_over = refused.refusal_code == Code.ALREADY_ENDED
        what = "was said already, or taken back" if is_over else "is unknown"
        msg = f"the timed text {timer_id[:SHOWN_CHARS]!r} {what}"
        raise NotFound(msg, remedy="`postroom timers` lists those that wait") from refused
