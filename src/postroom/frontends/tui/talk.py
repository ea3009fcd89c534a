"""The conversation of one agent, as it goes on, and the line in which one writes to it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from postroom.daemon.wire import DoorClosed, Told
from postroom.domain.plain import Json
from postroom.frontends.tui.client import Client, described, place
from postroom.frontends.tui.pane import Event, Pane
from postroom.frontends.tui.rows import one_line
from postroom.frontends.tui.sheet import Sheet
from postroom.frontends.tui.streaming import Streaming
from postroom.ids import SystemIds
from postroom.observe.transcript_rows import Heading, TranscriptView

PAGE = 60
ELSEWHERE = ("message.", "bus.", "task.")
"""Events that may concern an agent although they are told of another conversation."""


class TalkPane(Pane):
    """Rows of a transcript; text that streams stands below them until it is committed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "mode", "Mode"), Binding("ctrl+s", "stop", "Stop"),
        Binding("ctrl+r", "resume", "Resume"), Binding("ctrl+o", "older", "Older"),
        Binding("ctrl+n", "newest", "Newest"),
    ]  # fmt: skip

    def __init__(self, client: Client) -> None:
        super().__init__(client, id="talk-pane")
        self.agent = ""
        self.heading: Heading | None = None
        self.mode = "steer"
        self._head = Static("choose an agent in the first view", id="talk-head", markup=False)
        self.sheet = Sheet(id="talk-rows")
        self._streaming = Streaming(id="talk-live")
        self._is_paging = False

    def compose(self) -> ComposeResult:
        """Who it is, what was said, what is being said, and where one writes."""
        yield self._head
        yield self.sheet
        yield self._streaming
        yield Input(placeholder="write to it; Enter sends", id="talk-input")

    def show(self, agent: str) -> None:
        """Another agent from now on."""
        if agent == self.agent:
            return
        self.agent, self.heading = agent, None
        self._head.update("…")
        self.sheet.forget()
        self._streaming.forget()
        self.is_stale = True

    def heard(self, event: Event) -> None:
        """Only what is about this agent."""
        is_here = self.heading is None or self.heading.session_id == event.get("session_id")
        if is_here or str(event.get("kind")).startswith(ELSEWHERE):
            self.is_stale = True

    def streamed(self, piece: Event) -> None:
        """Some more text of an answer that is not committed; a new attempt begins it anew."""
        if self.heading is not None and piece.get("branch_id") == self.heading.branch_id:
            self._streaming.take(piece)

    async def load(self) -> None:
        """The newest page; rows that are there already are shown as they stand now."""
        if not (agent := self.agent):
            return
        path = place("agents", agent, "transcript")
        try:
            page = await self.client.get(path, TranscriptView, {"limit": PAGE})
        except Told as fault:
            if self.heading is None:  # nothing is there yet that would say who is meant
                self._head.update(one_line(described(fault)))
            raise
        if agent != self.agent:
            return  # the person has gone on to another one meanwhile
        self.heading = page.agent
        self._show_heading()
        self._streaming.settle(page.rows)
        await self.sheet.put(page.rows, page.older)

    def _show_heading(self) -> None:
        if (head := self.heading) is None:
            return
        unread = f", {head.unread} unread" if head.unread else ""
        words = f"{one_line(head.name)} ({one_line(head.title)}): {head.state}{unread}, sends as {self.mode}"
        self._head.update(words)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: write to the agent as the person."""
        if not event.value.strip():
            return
        if not self.agent:
            self.notify("choose an agent in the first view", severity="warning")
            return
        given: dict[str, Json] = {
            "body": event.value, "mode": self.mode, "client_id": f"tui-{SystemIds().public()}",
        }  # fmt: skip
        self.act(self.client.do(place("agents", self.agent, "send"), given), said=(event.input, event.value))
        self.action_newest()

    def action_mode(self) -> None:
        """Whether the next text joins the running turn, or opens a later one."""
        self.mode = "queue" if self.mode == "steer" else "steer"
        self._show_heading()

    def action_stop(self) -> None:
        """Pause it and everything below it."""
        self._do("stop", "stopped")

    def action_resume(self) -> None:
        """Lift its pause, or let it go on."""
        self._do("resume", "resumed")

    def action_newest(self) -> None:
        """To the end, and from there on as it goes on."""
        if self.sheet.to_end():
            self.is_stale = True

    def action_older(self) -> None:
        """The page before what is shown."""
        if self.agent and not self._is_paging:
            self._is_paging = True
            self.run_worker(self._page())

    async def _page(self) -> None:
        agent, before = self.agent, self.sheet.older
        try:
            if before is None:
                self.notify("this is the beginning")
                return
            query = {"limit": PAGE, "before": before}
            page = await self.client.get(place("agents", agent, "transcript"), TranscriptView, query)
            if (agent, before) == (self.agent, self.sheet.older):
                await self.sheet.put_in_front(page.rows, page.older)
        except (Told, DoorClosed) as fault:
            self.tell(fault)
        finally:
            self._is_paging = False

    def _do(self, deed: str, done: str) -> None:
        if self.agent:
            self.act(self.client.do(place("agents", self.agent, deed)), done)
