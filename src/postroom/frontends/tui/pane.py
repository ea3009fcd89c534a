"""What the views of the terminal share: they are asked anew when something has changed, and not sooner."""

from collections.abc import Awaitable
from typing import ClassVar

from textual.containers import Vertical
from textual.widgets import Input

from postroom.daemon.wire import DoorClosed, Told
from postroom.domain.plain import Json
from postroom.frontends.cli.output import shown
from postroom.frontends.tui.client import Client, described

Event = dict[str, Json]


class Pane(Vertical):
    """One view. `load` asks for what it shows; it is called again only after something that concerns it.

    What the person does goes on beside the screen, which stays quick however slow the daemon is.
    """

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

    def entered(self) -> None:
        """The person goes to this view."""

    async def load(self) -> None:
        """Ask, and show what comes. Each view has its own."""
        raise NotImplementedError  # abstract; `ABC` does not suit the metaclass that widgets have

    async def freshen(self) -> None:
        """Ask again, unless nothing has changed or it is being asked already.

        Raises `DoorClosed` when the daemon is not there; what is shown stays stale then.
        """
        if not self.is_stale or self._is_loading:
            return
        self.is_stale, self._is_loading = False, True
        try:
            await self.load()
        except Told as fault:
            self.tell(fault)
        except DoorClosed:
            self.is_stale = True
            raise
        finally:
            self._is_loading = False

    def tell(self, fault: Told | DoorClosed) -> None:
        """What went wrong, with its code and what would be right."""
        self.notify(shown(described(fault)), severity="error", markup=False)

    def act(self, deed: Awaitable[object], done: str = "", *, said: tuple[Input, str] | None = None) -> None:
        """Do something, and say what came of it.

        `said`: the line that held its words, which are taken from it now and given back if it fails.
        """
        if said is not None:
            said[0].value = ""
        self.run_worker(self._acted(deed, done, said), group="deeds")

    async def _acted(self, deed: Awaitable[object], done: str, said: tuple[Input, str] | None) -> None:
        try:
            await deed
        except (Told, DoorClosed) as fault:
            self.tell(fault)
            if said is not None:
                said[0].value = f"{said[1]} {said[0].value}".rstrip()
        else:
            if done:
                self.notify(done, markup=False)
            self.is_stale = True
