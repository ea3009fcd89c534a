"""The stream of the daemon while the terminal is open: read, lost, and taken up where it broke off."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from postroom.daemon.wire import DoorClosed, Told
from postroom.domain.plain import Json
from postroom.frontends.tui.client import Client, Frame, described

State: TypeAlias = Literal["connecting", "catching up", "live", "NOT live"]
BACK_OFF_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""How long to wait before each next try; the last one for every try behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ears:
    """Who is told."""

    on_state: Callable[[State, str], None]
    """How what one sees stands, and why it does not."""
    on_event: Callable[[dict[str, Json]], None]
    on_text: Callable[[dict[str, Json]], None]
    on_reset: Callable[[], None]
    """Whatever was seen is to be asked again."""


class Feed:
    """Reads on until it is cancelled. Frames that nobody knows are passed over (CK-33)."""

    def __init__(self, client: Client, ears: Ears, *, back_off_s: tuple[float, ...] = BACK_OFF_S) -> None:
        self._client = client
        self._ears = ears
        self._back_off_s = back_off_s
        self._after: int | None = None
        self._failures = 0

    async def run(self) -> None:
        """For ever."""
        while True:
            why = await self._once()
            wait_s = self._back_off_s[min(self._failures, len(self._back_off_s) - 1)]
            self._failures += 1
            self._ears.on_state("NOT live", why)
            await asyncio.sleep(wait_s)

    async def _once(self) -> str:
        """One connection; why it has ended."""
        self._ears.on_state("connecting", "")
        why = "the daemon hung up"
        try:
            self._client.renew()
            async for frame in self._client.frames(self._after):
                why = self._take(frame) or why
        except (Told, DoorClosed) as fault:
            return described(fault)
        return why

    def _take(self, frame: Frame) -> str:
        """One frame; why the daemon is about to hang up, if it says so."""
        data = frame.data if isinstance(frame.data, dict) else {}
        match frame.event:
            case "open":
                self._opened(data)
            case "live":
                self._failures = 0
                self._ears.on_state("live", "")
            case "log":
                self._after = frame.id if frame.id is not None else self._after
                self._ears.on_event(data)
            case "text":
                self._ears.on_text(data)
            case "reset":
                self._after = _number(data.get("pos"))
                self._ears.on_reset()
            case "bye":
                return f"the daemon hung up ({data.get('reason')})"
            case _:
                pass
        return ""

    def _opened(self, data: dict[str, Json]) -> None:
        """The first time there is nothing to catch up with: what is shown is asked for from here on."""
        if self._after is None:
            self._after = _number(data.get("pos"))
            self._ears.on_reset()
        self._ears.on_state("catching up", "")


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) else None
