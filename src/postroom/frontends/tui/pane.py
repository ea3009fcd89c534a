"""What the views of the terminal share: they are asked anew when something has changed, and not sooner."""

from collections.abc import Awaitable
from typing import ClassVar

from textual.containers import Vertical

from postroom.daemon.wire import DoorClosed, Told
from postroom.domain.plain import Json
from postroom.frontends.tui.client import Client

Event = dict[str, Json]


class Pane(Vertical):
    """One view. `load` asks for what it shows; it is called again only after something that concerns it."""

    KINDS: ClassVar[tuple[str, ...]] = ()
    """How the kinds of events begin that concern it; empty for all of them."""

    def __init__(self, client: Client, *, id: str) -> None:  # noqa: A002 -- as every widget calls it
        super().__init__(id=id)
        self.client = client
        self.is_stale = True
        self._is_loading = False

    def heard(self, event: Event) -> None:
        """An event of the log."""
        if not self.KINDS or str(event.get("kind")).startswith(self.KINDS):
            self.is_stale = True

    async def load(self) -> None:
        """Ask, and show what comes."""
        raise NotImplementedError

    async def freshen(self) -> None:
        """Ask again, unless nothing has changed or it is being asked already."""
        if not self.is_stale or self._is_loading:
            return
        self.is_stale, self._is_loading = False, True
        try:
            await self.load()
        except (Told, DoorClosed) as fault:
            self.is_stale = isinstance(fault, DoorClosed)
            self.tell(fault)
        finally:
            self._is_loading = False

    def tell(self, fault: Told | DoorClosed) -> None:
        """What went wrong, with its code and what would be right."""
        failure = fault.failure.describe() if isinstance(fault, Told) else str(fault)
        self.notify(failure, severity="error", markup=False)

    async def attempt(self, deed: Awaitable[object], done: str) -> bool:
        """Do something; say what came of it."""
        try:
            await deed
        except (Told, DoorClosed) as fault:
            self.tell(fault)
            return False
        if done:
            self.notify(done, markup=False)
        self.is_stale = True
        return True
