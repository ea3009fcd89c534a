"""Who wrote to whom, when, in which mode, and what became of it."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import DataTable, Static

from postroom.daemon.wire import DoorClosed, Told
from postroom.frontends.cli.texts import clock
from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.listing import Listing
from postroom.frontends.tui.pane import Pane
from postroom.frontends.tui.rows import body, cut, one_line
from postroom.frontends.tui.walled import Walled
from postroom.observe.mail_views import MailAt, MailEntry, MailPage, MailView, Party

COLUMNS = ("at", "from", "to", "mode", "state", "text")
NAME_CELLS = 16
PAGE = 100


class MailPane(Pane):
    """The newest mail of the store; Enter shows one message whole."""

    KINDS = ("message.", "bus.")

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="mail-pane")
        self.table = Listing(cursor_type="row", id="mail-table")
        self._scroll = VerticalScroll(id="mail-text")
        self._text = Static("", id="mail-one", markup=False)

    def compose(self) -> ComposeResult:
        """The list, and below it one of them."""
        yield self.table
        with self._scroll:
            yield self._text

    def on_mount(self) -> None:
        """Name the columns."""
        self.table.add_columns(*COLUMNS)

    async def load(self) -> None:
        """Ask for the newest page; the cursor stays on its message."""
        page = await self.client.get("/messages", MailPage, {"limit": PAGE})
        chosen = None
        if self.table.row_count:
            chosen = self.table.coordinate_to_cell_key(self.table.cursor_coordinate).row_key
        self.table.clear()
        for entry in page.messages:
            self.table.add_row(*cells(entry), key=entry.message_id)
        if chosen is not None and chosen.value in self.table.rows:
            self.table.move_cursor(row=self.table.get_row_index(chosen))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter: the whole of it."""
        self.run_worker(self._open(str(event.row_key.value)), group="open", exclusive=True)

    async def _open(self, message_id: str) -> None:
        try:
            view = await self.client.get(place("messages", message_id), MailView)
        except (Told, DoorClosed) as fault:
            self.tell(fault)
            return
        lines = [f"{name(at.to)}: {state(at)}" for at in view.mail.recipients]
        head = Text(f"{view.mail.kind} from {name(view.mail.sender)}\n" + "\n".join(lines))
        self._text.update(Walled(head.append_text(body(view.body))))
        self._scroll.scroll_home(animate=False)


def cells(entry: MailEntry) -> tuple[Text, ...]:
    """One message as cells of the table; its rows look alike for every mode (CK-32)."""
    first = entry.recipients[0] if entry.recipients else None
    more = f" +{len(entry.recipients) - 1}" if len(entry.recipients) > 1 else ""
    to = f"{name(first.to)}{more}" if first is not None and first.to.label else entry.selector
    return (
        Text(clock(entry.created_us)), Text(name(entry.sender)), Text(to),
        Text(first.mode if first is not None else entry.mode),
        Text(state(first) if first is not None else "on the bus"), Text(one_line(entry.preview)),
    )  # fmt: skip


def name(party: Party) -> str:
    """Who it is, in a column's width."""
    return cut(
        one_line(party.label) or {"user": "you", "runtime": "Postroom"}.get(party.by, party.by), NAME_CELLS
    )


def state(at: MailAt) -> str:
    """How it stands with one recipient."""
    why = at.held_for or at.reason
    return f"{at.state} ({why})" if why else at.state
