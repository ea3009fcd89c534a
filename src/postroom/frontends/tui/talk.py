"""The conversation of one agent, as it goes on, and the line in which one writes to it."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from postroom.domain.plain import Json
from postroom.frontends.cli.output import shown
from postroom.frontends.tui.client import Client, place
from postroom.frontends.tui.pane import Event, Pane
from postroom.frontends.tui.rows import one_line, row_text
from postroom.ids import SystemIds
from postroom.observe.transcript_rows import Heading, Row, TranscriptView

PAGE = 60


class TalkPane(Pane):
    """Rows of a transcript; text that streams stands below them until it is committed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "mode", "Steer/queue"), Binding("ctrl+s", "stop", "Stop"),
        Binding("ctrl+r", "resume", "Resume"), Binding("ctrl+o", "older", "Older"),
    ]  # fmt: skip

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="talk-pane")
        self.agent = ""
        self.heading: Heading | None = None
        self.mode = "steer"
        self._rows: dict[str, Row] = {}
        self._older: int | None = None
        self._streaming: tuple[Json, Json, Json] = (None, None, None)
        self._text = ""

    def compose(self) -> ComposeResult:
        """Who it is, what was said, what is being said, and where one writes."""
        yield Static("choose an agent in the first view", id="talk-head", markup=False)
        with VerticalScroll(id="talk-rows"):
            yield Static("", id="talk-live", markup=False)
        yield Input(placeholder="write to it; Enter sends", id="talk-input")

    def show(self, agent: str) -> None:
        """Another agent from now on."""
        if agent == self.agent:
            return
        self.agent, self.heading, self._older, self._text = agent, None, None, ""
        self._rows.clear()
        for widget in self.query(".talk-row"):
            widget.remove()
        self.query_one("#talk-live", Static).update("")
        self.is_stale = True

    def heard(self, event: Event) -> None:
        """Only what is about this agent."""
        if self.heading is None or self.heading.session_id == event.get("session_id"):
            self.is_stale = True

    def streamed(self, piece: Event) -> None:
        """Some more text of an answer that is not committed; a new attempt begins it anew."""
        if self.heading is None or piece.get("branch_id") != self.heading.branch_id:
            return
        which = (piece.get("turn_id"), piece.get("round"), piece.get("attempt"))
        if which != self._streaming:
            self._streaming, self._text = which, ""
        self._text += str(piece.get("text"))
        self._show_text()

    async def load(self) -> None:
        """The newest page; rows that are there already are shown as they stand now."""
        if not self.agent:
            return
        path = place("agents", self.agent, "transcript")
        page = await self.client.get(path, TranscriptView, {"limit": PAGE})
        is_first = self.heading is None
        self.heading = page.agent
        if is_first:
            self._older = page.older
        await self._put(page.rows)
        self._show_heading()
        self._drop_committed(page.rows)

    async def _put(self, rows: list[Row], *, in_front: bool = False) -> None:
        """Rows that are new, and those that have changed. A row that was waiting moves when it is read."""
        scroll = self.query_one("#talk-rows", VerticalScroll)
        at_end = scroll.max_scroll_y - scroll.scroll_y <= 1
        await self._drop_gone(rows)
        fresh = [row for row in rows if row.id not in self._rows]
        for row in rows:
            if row.id in self._rows and self._rows[row.id] != row:
                self.query_one(f"#{_name(row.id)}", Static).update(row_text(row))
        self._rows |= {row.id: row for row in rows}
        made = [Static(row_text(row), id=_name(row.id), classes="talk-row", markup=False) for row in fresh]
        if made:
            first = self.query(".talk-row").first() if in_front and self.query(".talk-row") else None
            await scroll.mount(*made, before=first or self.query_one("#talk-live"))
        if at_end and not in_front:
            scroll.scroll_end(animate=False)

    async def _drop_gone(self, rows: list[Row]) -> None:
        """What waited in the mailbox is no row of that kind any more once it was read or taken back."""
        there = {row.id for row in rows}
        waiting = [key for key, row in self._rows.items() if row.kind == "waiting" and key not in there]
        for key in waiting:
            del self._rows[key]
            await self.query_one(f"#{_name(key)}", Static).remove()

    def _drop_committed(self, rows: list[Row]) -> None:
        """The answer is a row of its own now, or its turn has ended without one."""
        turn, number, _ = self._streaming
        for row in rows:
            is_answer = row.kind in {"answer", "calls"} and row.turn_id == turn
            if (is_answer and getattr(row, "round", None) == number) or (
                row.kind == "turn_end" and row.turn_id == turn
            ):
                self._streaming, self._text = (None, None, None), ""
        self._show_text()

    def _show_text(self) -> None:
        live = self.query_one("#talk-live", Static)
        live.update(Text(f"▌ {shown(self._text)}", style="italic") if self._text else "")
        self.query_one("#talk-rows", VerticalScroll).scroll_end(animate=False)

    def _show_heading(self) -> None:
        if (head := self.heading) is None:
            return
        unread = f", {head.unread} unread" if head.unread else ""
        words = f"{one_line(head.name)} ({one_line(head.title)}): {head.state}{unread}, sends as {self.mode}"
        self.query_one("#talk-head", Static).update(Text(words))

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: write to the agent as the person."""
        if not self.agent or not event.value.strip():
            return
        given: dict[str, Json] = {
            "body": event.value, "mode": self.mode, "client_id": f"tui-{SystemIds().public()}",
        }  # fmt: skip
        if await self.attempt(self.client.do(place("agents", self.agent, "send"), given), ""):
            event.input.value = ""

    def action_mode(self) -> None:
        """Whether the next text joins the running turn, or opens a later one."""
        self.mode = "queue" if self.mode == "steer" else "steer"
        self._show_heading()

    async def action_stop(self) -> None:
        """Pause it and everything below it."""
        await self._do("stop", "stopped")

    async def action_resume(self) -> None:
        """Lift its pause, or let it go on."""
        await self._do("resume", "resumed")

    async def action_older(self) -> None:
        """The page before what is shown."""
        if self._older is None:
            self.notify("this is the beginning")
            return
        query = {"limit": PAGE, "before": self._older}
        page = await self.client.get(place("agents", self.agent, "transcript"), TranscriptView, query)
        self._older = page.older
        await self._put([row for row in page.rows if row.kind != "waiting"], in_front=True)

    async def _do(self, deed: str, done: str) -> None:
        if self.agent:
            await self.attempt(self.client.do(place("agents", self.agent, deed)), done)


def _name(row_id: str) -> str:
    """A name that a widget may have."""
    return "row-" + "".join(char if char.isascii() and char.isalnum() else "-" for char in row_id)
